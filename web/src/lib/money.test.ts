import { describe, expect, it } from 'vitest'
import { energiesOf } from './energy'
import {
  isBatteryDearer,
  type Money,
  moneyOf,
  outcomeOf,
  sumOf,
  tariffOn,
  tariffsIn,
  withoutBatteryOf,
} from './money'
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
  it('is not known where the server does not know it, and never zero instead', () => {
    expect(moneyOf(saving('2026-11-15', null))).toEqual(unknown)
    expect(moneyOf(undefined)).toEqual(unknown)
  })
})

describe('a sum', () => {
  it('adds the days up to the cent', () => {
    const days = [money(132, 452), money(-90, 10)].map((one) => ({ money: one, energies: measured }))
    expect(sumOf(days)).toEqual({ cost: 132, income: 90, actual: 42, withoutBattery: 462, unpriced: 0 })
  })

  it('passes over days in which nothing was measured', () => {
    const days = [
      { money: money(132, 452), energies: measured },
      { money: unknown, energies: nothing },
    ]
    expect(sumOf(days)).toMatchObject({ actual: 132, unpriced: 0 })
  })

  it('over a day without a price is missing, and says how many there are', () => {
    const days = [
      { money: money(132, 452), energies: measured },
      { money: unknown, energies: measured },
    ]
    expect(sumOf(days)).toEqual({ ...unknown, unpriced: 1 })
  })

  it('of nothing is not zero', () => {
    expect(sumOf([])).toEqual({ ...unknown, unpriced: 0 })
    expect(sumOf([{ money: unknown, energies: nothing }])).toEqual({ ...unknown, unpriced: 0 })
  })

  it('without battery is missing when one day of it is', () => {
    const days = [money(1, 2), money(1, null)].map((one) => ({ money: one, energies: measured }))
    expect(sumOf(days)).toMatchObject({ actual: 2, withoutBattery: null })
  })
})

describe('the word for what is left', () => {
  it.each([
    [42, 'cost'],
    [-1, 'income'],
    [0, 'cost'],
  ] as const)('%i cents: %s', (actual, word) => {
    expect(outcomeOf(actual)).toBe(word)
  })
})

describe('without the battery', () => {
  it.each([
    // Paid 0.42: would have paid more, less, nothing, or would even have earned.
    [42, 362, 'paid_more', 320, false],
    [42, 12, 'paid_less', 30, true],
    [42, 0, 'paid_less', 42, true],
    [42, -10, 'earned', 10, true],
    // Earned 2.10: would have earned less, nothing, more, or would have paid.
    [-210, -120, 'earned_less', 90, false],
    [-210, 0, 'earned_less', 210, false],
    [-210, -300, 'earned_more', 90, true],
    [-210, 50, 'paid', 50, false],
    // Neither paid nor earned.
    [0, 320, 'paid', 320, false],
    [0, -20, 'earned', 20, true],
    [7, 7, 'same', 0, false],
  ] as const)(
    '%i cents instead of %i: %s by %i, dearer with it: %s',
    (actual, without, word, cents, dearer) => {
      expect(withoutBatteryOf(money(actual, without))).toEqual({ word, cents })
      expect(isBatteryDearer(money(actual, without))).toBe(dearer)
    },
  )

  it('nothing is said while one of the two is not known', () => {
    expect(withoutBatteryOf(unknown)).toBeNull()
    expect(withoutBatteryOf(money(42, null))).toBeNull()
    expect(isBatteryDearer(unknown)).toBe(false)
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
