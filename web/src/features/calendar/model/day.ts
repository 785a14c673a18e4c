/** The data of a calendar day. */

import type { GivenGrant, HeldGrant } from '@/lib/data/grants'
import type { Saving } from '@/lib/data/money'
import { balanceOf, type Energies, type EnergyChart, energiesOf, selfSufficiencyOf } from '@/lib/energy'
import { type Money, moneyOf } from '@/lib/money'
import { plusDays, type SiteDay } from '@/lib/site-day'
import { firstDay, lastDay } from './month'
import type { Month } from './search'

export type Planned = { day: SiteDay; what: 'calibration' | 'update' | 'grant' | 'plan' }

export type CalendarDay = {
  day: SiteDay
  /** The day has not begun. */
  ahead: boolean
  today: boolean
  energies: Energies
  /** In Wh. */
  consumed: number | null
  /** In percent. */
  selfSufficiency: number | null
  money: Money
  planned: readonly Planned['what'][]
}

type PlannedSources = {
  calibrationDays: number | null | undefined
  updatable: boolean | undefined
  /** Days on which the charge plan holds or charges. */
  planDays?: readonly SiteDay[]
  grants?: readonly Pick<GivenGrant | HeldGrant, 'state' | 'until_day'>[]
}

/** Planned events. An update waits for its owner, so it is listed today and moves with the day. */
export function plannedOf(
  { calibrationDays, updatable, planDays = [], grants = [] }: PlannedSources,
  today: SiteDay,
): Planned[] {
  const planned: Planned[] = []
  if (typeof calibrationDays === 'number')
    planned.push({ day: plusDays(today, calibrationDays), what: 'calibration' })
  if (updatable) planned.push({ day: today, what: 'update' })
  for (const day of new Set(planDays)) planned.push({ day, what: 'plan' })
  for (const day of grantEndsOf(grants, today)) planned.push({ day, what: 'grant' })
  return planned
}

/** The last days of electricians' active grants, without duplicates. */
function grantEndsOf(grants: NonNullable<PlannedSources['grants']>, today: SiteDay): Set<SiteDay> {
  const ends = grants.flatMap(({ state, until_day }) =>
    (state === 'active' || state === 'unconfirmed') && until_day !== null && until_day >= today
      ? until_day
      : [],
  )
  return new Set(ends)
}

type MonthData = {
  month: Month
  today: SiteDay
  chart: EnergyChart | null | undefined
  savings: readonly Saving[] | undefined
  planned: readonly Planned[]
}

/** Every day of the month, in order. */
export function daysOf({ month, today, chart, savings, planned }: MonthData): CalendarDay[] {
  const rows = new Map(chart?.rows.map((row) => [row.de_time, row]))
  const prices = new Map(savings?.map((saving) => [saving.day, saving]))
  const days: CalendarDay[] = []
  for (let day = firstDay(month); day <= lastDay(month); day = plusDays(day, 1)) {
    const energies = energiesOf(rows.get(day) ?? {})
    const balance = balanceOf(energies)
    days.push({
      day,
      ahead: day > today,
      today: day === today,
      energies,
      consumed: balance?.consumed ?? null,
      selfSufficiency: selfSufficiencyOf(energies, balance),
      money: moneyOf(prices.get(day)),
      planned: planned.filter((one) => one.day === day).map(({ what }) => what),
    })
  }
  return days
}

export const isMeasured = ({ energies }: CalendarDay) =>
  Object.values(energies).some((energy) => energy !== null)

/** Five shades of self-sufficiency, 20 % each. */
export const LEVELS = [0, 1, 2, 3, 4] as const
export type Level = (typeof LEVELS)[number]

export const levelOf = (percent: number) => Math.min(4, Math.floor(percent / 20)) as Level

/** From and to, in percent. */
export const boundsOf = (level: Level) => ({ low: level * 20, high: level * 20 + 20 })
