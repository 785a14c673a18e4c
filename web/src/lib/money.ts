/** What days cost and earn. Whole cents; null is not known, which is not zero. */
import type { Saving, SystemTariffs, Tariff } from './api/money-queries'
import type { Energies } from './energy'
import type { Currency } from './format'
import type { SiteDay } from './site-day'

export type Money = {
  /** Paid for energy from the grid. */
  cost: number | null
  /** Earned by feeding in. */
  income: number | null
  /** Cost less income: above zero something is to pay, below something was earned. */
  actual: number | null
  /** The same without a battery. */
  withoutBattery: number | null
}

const UNKNOWN: Money = { cost: null, income: null, actual: null, withoutBattery: null }

export function moneyOf(saving: Saving | undefined): Money {
  if (!saving) return UNKNOWN
  const { cost, income, actual, without_battery } = saving
  return { cost, income, actual, withoutBattery: without_battery }
}

/** A day, with what was measured in it. */
export type PricedDay = { money: Money; energies: Energies }

export type MoneySum = Money & {
  /** Days that were measured, but have no price: with one of them nothing can be summed up. */
  unpriced: number
}

/** Days without a measurement add nothing. */
export function sumOf(days: readonly PricedDay[]): MoneySum {
  const measured = days.filter(
    ({ energies, money }) => money.actual !== null || (energies.import !== null && energies.feedIn !== null),
  )
  const unpriced = measured.filter(({ money }) => money.actual === null).length
  if (measured.length === 0 || unpriced > 0) return { ...UNKNOWN, unpriced }
  const total = (of: keyof Money) =>
    measured.reduce<number | null>((sum, { money }) => plus(sum, money[of]), 0)
  return {
    cost: total('cost'),
    income: total('income'),
    actual: total('actual'),
    withoutBattery: total('withoutBattery'),
    unpriced,
  }
}

const plus = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b)

/** What is left of cost and income, as a word. */
export type Outcome = 'cost' | 'income'

export const outcomeOf = (actual: number): Outcome => (actual < 0 ? 'income' : 'cost')

/** What the battery was worth: what would have been left without it, against what is left. */
export type Saved = { word: 'saved' | 'lost' | 'nothing'; cents: number }

export function savedOf({ actual, withoutBattery }: Money): Saved | null {
  if (actual === null || withoutBattery === null) return null
  const cents = withoutBattery - actual
  return { word: cents === 0 ? 'nothing' : cents > 0 ? 'saved' : 'lost', cents: Math.abs(cents) }
}

/** What holds on a day: the newest that has begun; null when none has. */
export const tariffOn = (tariffs: readonly Tariff[], day: SiteDay): Tariff | null =>
  tariffs.findLast(({ from }) => !from || from <= day) ?? null

/** Those that hold on some day of a stretch of time, the oldest first. */
export function tariffsIn(tariffs: readonly Tariff[], first: SiteDay, last: SiteDay): Tariff[] {
  const begun = tariffOn(tariffs, first)
  return tariffs.filter((one) => one === begun || (one.from && one.from > first && one.from <= last))
}

/** The owner's country decides, so all systems have the same. */
export const currencyOf = (systems: readonly SystemTariffs[] | undefined): Currency =>
  systems?.[0]?.currency ?? 'EUR'
