import { describe, expect, it } from 'vitest'
import { balanceOf, energiesOf, selfConsumptionOf, selfSufficiencyOf } from './energy'

const summer = energiesOf({ m2: 500, m2N: -17_900, m4: 35_200, m5: 1_900, m5N: -12_100 })

describe('the energies of a day', () => {
  it('are magnitudes, whatever sign the API gives them', () => {
    expect(summer).toEqual({ pv: 35_200, import: 500, feedIn: 17_900, discharge: 1_900, charge: 12_100 })
  })

  it('are null, never zero, if the API has none', () => {
    expect(energiesOf({ m2: null, m4: 5 })).toEqual({
      pv: 5,
      import: null,
      feedIn: null,
      discharge: null,
      charge: null,
    })
  })
})

describe('the balance', () => {
  it('divides production and consumption', () => {
    expect(balanceOf(summer)).toEqual({
      produced: 35_200,
      directlyUsed: 5_200,
      stored: 12_100,
      fedIn: 17_900,
      consumed: 7_600,
      fromSun: 5_200,
      fromBattery: 1_900,
      fromGrid: 500,
    })
  })

  it('adds up also if the battery was charged from the grid, or fed into it', () => {
    for (const [m2, m2N, m4, m5, m5N] of [
      [10_000, 0, 0, 3_000, -5_000],
      [0, -4_000, 1_000, 6_000, 0],
      [200, -100, 50, 0, -400],
    ] as const) {
      const balance = balanceOf(energiesOf({ m2, m2N, m4, m5, m5N }))
      if (!balance) throw new Error('nothing is missing')
      expect(balance.directlyUsed + balance.stored + balance.fedIn).toBe(balance.produced)
      expect(balance.fromSun + balance.fromBattery + balance.fromGrid).toBe(balance.consumed)
      expect(Math.min(...Object.values(balance))).toBeGreaterThanOrEqual(0)
    }
  })

  it('is unknown if a value is missing', () => {
    expect(balanceOf({ ...summer, discharge: null })).toBeNull()
  })
})

describe('self-sufficiency', () => {
  it('is the part that was not bought', () => {
    expect(selfSufficiencyOf(summer, balanceOf(summer))).toBeCloseTo(93.4, 1)
  })

  it('is never negative, even if the battery was charged from the grid', () => {
    const bought = energiesOf({ m2: 10_000, m2N: 0, m4: 0, m5: 3_000, m5N: -5_000 })
    expect(selfSufficiencyOf(bought, balanceOf(bought))).toBe(0)
  })

  it('is unknown without consumption', () => {
    const none = energiesOf({ m2: 0, m2N: 0, m4: 0, m5: 0, m5N: 0 })
    expect(selfSufficiencyOf(none, balanceOf(none))).toBeNull()
    expect(selfSufficiencyOf({ ...summer, pv: null }, null)).toBeNull()
  })
})

describe('self-consumption', () => {
  it('is the part that was not fed in', () => {
    expect(selfConsumptionOf(balanceOf(summer))).toBeCloseTo(49.1, 1)
  })

  it('is never negative, even if the battery was emptied into the grid', () => {
    const sold = energiesOf({ m2: 0, m2N: -5_000, m4: 1_000, m5: 6_000, m5N: 0 })
    expect(selfConsumptionOf(balanceOf(sold))).toBe(0)
  })

  it('is unknown without production', () => {
    const night = energiesOf({ m2: 500, m2N: 0, m4: 0, m5: 0, m5N: 0 })
    expect(selfConsumptionOf(balanceOf(night))).toBeNull()
    expect(selfConsumptionOf(null)).toBeNull()
  })
})
