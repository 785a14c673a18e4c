/** The five small charts: which bars each has for a day, a month or a year. */
import { balanceOf, type Energies } from '@/lib/energy'
import type { MessageId } from '@/lib/i18n/locales'
import { type Interval, plusDays, type SiteDay, startOf } from '@/lib/site-day'
import { BEFORE, type Before, dateBefore } from './before'

export const PERIODS = ['day', 'week', 'month', 'year', 'total'] as const
export type Period = (typeof PERIODS)[number]

/** What `energy_chart` is asked for. */
export const daysOf = (period: Period, today: SiteDay) =>
  period === 'day' ? `${today}_${today}` : `${period}_${today}`

const INTERVALS: Partial<Record<Period, Interval>> = {
  day: 'Day',
  week: 'Week',
  month: 'Month',
  year: 'Year',
}

/** What each period can be held against. */
export function beforesOf(period: Period): readonly Before[] {
  const interval = INTERVALS[period]
  return interval === undefined ? [] : BEFORE[interval]
}

/** The same part of the period before: from its first day to the day that today is in this one. */
export function daysBefore(
  period: Period,
  today: SiteDay,
  before: Before,
): { first: SiteDay; last: SiteDay } {
  const interval = INTERVALS[period] ?? 'Day'
  const last = before === 'month' ? monthEarlier(today) : dateBefore(today, interval, before)
  return { first: startOf(last, interval), last }
}

/** A shorter month ends earlier. */
function monthEarlier(day: SiteDay): SiteDay {
  const end = plusDays(startOf(day, 'Month'), -1)
  const same = `${end.slice(0, 8)}${day.slice(8)}`
  return same < end ? same : end
}

/** The energies of several rows as one; what nobody measured stays unknown. */
export function sumOf(rows: readonly Energies[]): Energies {
  const sum = (name: keyof Energies) => {
    const known = rows.map((row) => row[name]).filter((value) => value !== null)
    return known.length > 0 ? known.reduce((one, other) => one + other, 0) : null
  }
  return {
    pv: sum('pv'),
    import: sum('import'),
    feedIn: sum('feedIn'),
    discharge: sum('discharge'),
    charge: sum('charge'),
  }
}

type DayRow = { time: string; energies: Energies }

/** Days of the period before, row for row beside those of this one: months of a year, otherwise days. */
export function earlierRows(period: Period, days: readonly DayRow[], count: number): (Energies | null)[] {
  const rows = period === 'year' ? monthsOf(days) : days.map(({ energies }) => energies)
  return Array.from({ length: count }, (_, place) => rows[place] ?? null)
}

const monthsOf = (days: readonly DayRow[]) =>
  Array.from({ length: 12 }, (_, month) => {
    const number = String(month + 1).padStart(2, '0')
    const own = days.filter(({ time }) => time.slice(5, 7) === number)
    return own.length > 0 ? sumOf(own.map(({ energies }) => energies)) : null
  })

export type Part = {
  label: MessageId
  colour: 'pv' | 'grid' | 'battery'
  /** Leaves the house or goes into the battery: drawn below zero, hatched. */
  below?: boolean
  /** Wh; null is not known. */
  of: (energies: Energies) => number | null
}

export type SmallChart = {
  title: MessageId
  parts: readonly Part[]
  /** Of the house as a whole: what a phone shows first. */
  house?: boolean
}

const balance =
  (part: 'directlyUsed' | 'stored' | 'fedIn' | 'fromSun' | 'fromBattery' | 'fromGrid') => (e: Energies) =>
    balanceOf(e)?.[part] ?? null

export const SMALL_CHARTS: readonly SmallChart[] = [
  {
    title: 'small.grid',
    parts: [
      { label: 'small.imported', colour: 'grid', of: (energies) => energies.import },
      { label: 'small.fed_in', colour: 'grid', below: true, of: ({ feedIn }) => feedIn },
    ],
  },
  {
    title: 'small.battery',
    parts: [
      { label: 'small.discharged', colour: 'battery', of: ({ discharge }) => discharge },
      { label: 'small.charged', colour: 'battery', below: true, of: ({ charge }) => charge },
    ],
  },
  { title: 'small.pv', parts: [{ label: 'small.produced', colour: 'pv', of: ({ pv }) => pv }] },
  {
    title: 'small.consumption',
    house: true,
    parts: [
      { label: 'today.from_sun', colour: 'pv', of: balance('fromSun') },
      { label: 'today.from_battery', colour: 'battery', of: balance('fromBattery') },
      { label: 'today.from_grid', colour: 'grid', of: balance('fromGrid') },
    ],
  },
  {
    title: 'small.production',
    house: true,
    parts: [
      { label: 'today.direct', colour: 'pv', of: balance('directlyUsed') },
      { label: 'today.stored', colour: 'battery', of: balance('stored') },
      { label: 'today.fed_in', colour: 'grid', of: balance('fedIn') },
    ],
  },
]

/** A piece of a bar, in parts of the chart's height: 0 is its top, 1 its bottom. */
export type Piece = {
  label: MessageId
  colour: Part['colour']
  hatched: boolean
  top: number
  height: number
}

/** One list of pieces per row, stacked from the zero line up or down. What is not known leaves no mark. */
export function piecesOf(
  parts: readonly Part[],
  rows: readonly Energies[],
): { pieces: Piece[][]; zero: number } {
  const stack = (energies: Energies, below: boolean) =>
    parts
      .filter((part) => (part.below ?? false) === below)
      .reduce((sum, part) => sum + (part.of(energies) ?? 0), 0)
  const up = Math.max(0, ...rows.map((energies) => stack(energies, false)))
  const down = Math.max(0, ...rows.map((energies) => stack(energies, true)))
  const span = up + down || 1
  const zero = up + down > 0 ? up / span : 1
  const pieces = rows.map((energies) => {
    let above = zero
    let under = zero
    return parts.flatMap(({ label, colour, below = false, of }) => {
      const height = (of(energies) ?? 0) / span
      if (height === 0) return []
      const top = below ? under : above - height
      if (below) under += height
      else above -= height
      return [{ label, colour, hatched: below, top, height }]
    })
  })
  return { pieces, zero }
}
