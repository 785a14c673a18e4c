import { describe, expect, it } from 'vitest'
import { energiesOf } from './energy'
import { type Money, moneyOf, outcomeOf, savedOf, sumOf, tariffOn, tariffsIn } from './money'
import { saving } from './testing/money'

const unknown: Money = { cost: null, income: null, actual: null, withoutBattery: null }
const money = (actual: number, withoutBattery: number | null): Money => ({
  cost: Math.max(0, actual),
  income: Math.max(0, -actual),
  actual,
  withoutBattery,
})
const measured = energiesOf({ m2: 500, m2N: -17_900, m4: 35_200, m5: 1_900, m5N: -12_100 })
const nothing = energiesOf({})

describe('the money of a day', () => {
  it('is unknown if the server does not know it, never zero', () => {
    expect(moneyOf(saving('2026-11-15', null))).toEqual(unknown)
    expect(moneyOf(undefined)).toEqual(unknown)
  })
})

describe('a sum', () => {
  it('is exact to the cent', () => {
    const days = [money(132, 452), money(-90, 10)].map((one) => ({ money: one, energies: measured }))
    expect(sumOf(days)).toEqual({ cost: 132, income: 90, actual: 42, withoutBattery: 462, unpriced: 0 })
  })

  it('skips days without measurements', () => {
    const days = [
      { money: money(132, 452), energies: measured },
      { money: unknown, energies: nothing },
    ]
    expect(sumOf(days)).toMatchObject({ actual: 132, unpriced: 0 })
  })

  it('with an unpriced day is null, and counts such days', () => {
    const days = [
      { money: money(132, 452), energies: measured },
      { money: unknown, energies: measured },
    ]
    expect(sumOf(days)).toEqual({ ...unknown, unpriced: 1 })
  })

  it('without days is not zero', () => {
    expect(sumOf([])).toEqual({ ...unknown, unpriced: 0 })
    expect(sumOf([{ money: unknown, energies: nothing }])).toEqual({ ...unknown, unpriced: 0 })
  })

  it('without the battery is null if one of its days is', () => {
    const days = [money(1, 2), money(1, null)].map((one) => ({ money: one, energies: measured }))
    expect(sumOf(days)).toMatchObject({ actual: 2, withoutBattery: null })
  })
})

describe('the word for a result', () => {
  it.each([
    [42, 'cost'],
    [-1, 'income'],
    [0, 'cost'],
  ] as const)('%i cents: %s', (actual, word) => {
    expect(outcomeOf(actual)).toBe(word)
  })
})

describe('the battery’s result', () => {
  it.each([
    // Less to pay, more to pay, more earned, less earned, and earned instead of paid.
    [42, 362, 'saved', 320],
    [42, 12, 'lost', 30],
    [-210, 0, 'saved', 210],
    [-210, -300, 'lost', 90],
    [-210, 50, 'saved', 260],
    [7, 7, 'nothing', 0],
  ] as const)('with %i cents instead of %i without it: %s %i', (actual, without, word, cents) => {
    expect(savedOf(money(actual, without))).toEqual({ word, cents })
  })

  it('is unknown if one of the two is', () => {
    expect(savedOf(unknown)).toBeNull()
    expect(savedOf(money(42, null))).toBeNull()
  })
})

describe('the tariff of a day', () => {
  const first = { from: null, import_price: 32, feed_in_price: 8.1 }
  const later = { from: '2026-11-10', import_price: 29.5, feed_in_price: 8.1 }

  it('is the newest that has begun', () => {
    expect(tariffOn([first, later], '2026-11-09')).toBe(first)
    expect(tariffOn([first, later], '2026-11-10')).toBe(later)
  })

  it('may change within a month', () => {
    expect(tariffsIn([first, later], '2026-11-01', '2026-11-30')).toEqual([first, later])
    expect(tariffsIn([first, later], '2026-10-01', '2026-10-31')).toEqual([first])
    expect(tariffsIn([first, later], '2026-12-01', '2026-12-31')).toEqual([later])
    expect(tariffsIn([later], '2026-11-10', '2026-11-30')).toEqual([later])
    expect(tariffsIn([later], '2026-10-01', '2026-10-31')).toEqual([])
  })

  it('is none before the first', () => {
    expect(tariffOn([later], '2026-11-09')).toBeNull()
    expect(tariffOn([], '2026-11-09')).toBeNull()
  })
})
