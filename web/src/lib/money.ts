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

/** What would have been without the battery: so much more or less of the same kind, or the other kind altogether. */
export type WithoutBattery = {
  word: 'same' | 'paid_more' | 'paid_less' | 'earned_more' | 'earned_less' | 'paid' | 'earned'
  cents: number
}

export function withoutBatteryOf({ actual, withoutBattery }: Money): WithoutBattery | null {
  if (actual === null || withoutBattery === null) return null
  if (actual === withoutBattery) return { word: 'same', cents: 0 }
  const other = Math.sign(actual) !== Math.sign(withoutBattery) && withoutBattery !== 0
  if (other) return { word: withoutBattery > 0 ? 'paid' : 'earned', cents: Math.abs(withoutBattery) }
  const more = Math.abs(withoutBattery) - Math.abs(actual)
  const kind = actual > 0 ? 'paid' : 'earned'
  return { word: `${kind}_${more > 0 ? 'more' : 'less'}`, cents: Math.abs(more) }
}

/** Today's battery is dearer than none as long as what it took has not come out again. */
export const isBatteryDearer = ({ actual, withoutBattery }: Money) =>
  actual !== null && withoutBattery !== null && withoutBattery < actual

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
