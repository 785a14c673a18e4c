/** Costs and earnings of days. In whole cents; null is unknown, which is not zero. */
import type { Saving, SystemTariffs, Tariff } from '@/lib/data/money'
import type { Energies } from './energy'
import type { Currency } from './format'
import type { SiteDay } from './site-day'

export type Money = {
  /** Cost of energy from the grid. */
  cost: number | null
  /** Income from feeding in. */
  income: number | null
  /** Cost less income: positive is to pay, negative is earned. */
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

/** A day with its money and energies. */
export type PricedDay = { money: Money; energies: Energies }

export type MoneySum = Money & {
  /** The number of measured days without a price; if there is one, the sum is null. */
  unpriced: number
}

/** Days without measurements are skipped. */
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

/** Whether the result is cost or income. */
export type Outcome = 'cost' | 'income'

export const outcomeOf = (actual: number): Outcome => (actual < 0 ? 'income' : 'cost')

/** The battery's result: the amount without it, less the amount with it. */
export type Saved = { word: 'saved' | 'lost' | 'nothing'; cents: number }

export function savedOf({ actual, withoutBattery }: Money): Saved | null {
  if (actual === null || withoutBattery === null) return null
  const cents = withoutBattery - actual
  return { word: cents === 0 ? 'nothing' : cents > 0 ? 'saved' : 'lost', cents: Math.abs(cents) }
}

/** The tariff of a day: the newest that has begun; null if none has. */
export const tariffOn = (tariffs: readonly Tariff[], day: SiteDay): Tariff | null =>
  tariffs.findLast(({ from }) => !from || from <= day) ?? null

/** The tariffs that apply between two days, oldest first. */
export function tariffsIn(tariffs: readonly Tariff[], first: SiteDay, last: SiteDay): Tariff[] {
  const begun = tariffOn(tariffs, first)
  return tariffs.filter((one) => one === begun || (one.from && one.from > first && one.from <= last))
}

/** All systems have the currency of the owner's country. */
export const currencyOf = (systems: readonly SystemTariffs[] | undefined): Currency =>
  systems?.[0]?.currency ?? 'EUR'
