/** What the big chart shows, as the address keeps it: a link shows the same chart. */
import type { Method, Resolution } from '@/lib/api/chart-queries'
import { type Interval, isSiteDay, type SiteDay, startOf, step } from '@/lib/site-day'
import { CODES } from './series'

export const INTERVALS = ['Day', 'Week', 'Month', 'Year'] as const satisfies Interval[]
export const METHODS = ['mean', 'min', 'max', 'sum'] as const satisfies Method[]

/** Finer than this a chart has more points than pixels, and coarser it has none. */
export const RESOLUTIONS: Record<Interval, readonly Resolution[]> = {
  Day: ['minute', 'quarter', 'hour'],
  Week: ['quarter', 'hour', 'day'],
  Month: ['quarter', 'hour', 'day'],
  Year: ['day', 'month'],
}

const POWERS = ['m6', 'm8', 'm1', 'm0', 'm3']
const ENERGIES = ['m4', 'm2', 'm2N', 'm5', 'm5N']

/** Days and weeks are looked at as curves, months and years as amounts. */
const USUAL: Record<Interval, { resolution: Resolution; series: readonly string[] }> = {
  Day: { resolution: 'quarter', series: POWERS },
  Week: { resolution: 'quarter', series: POWERS },
  Month: { resolution: 'day', series: ENERGIES },
  Year: { resolution: 'month', series: ENERGIES },
}

/** Only what differs from the usual stands in the address. */
export type ChartSearch = {
  sn?: string
  range?: Interval
  date?: SiteDay
  series?: string
  resolution?: Resolution
  method?: Method
  view?: 'table'
}

/** What is wrong in an address is passed over. */
export function readChartSearch(raw: Record<string, unknown>): ChartSearch {
  const search: ChartSearch = {}
  if (typeof raw.sn === 'string' || typeof raw.sn === 'number') search.sn = String(raw.sn)
  const range = INTERVALS.find((interval) => interval === raw.range)
  if (range) search.range = range
  if (isSiteDay(raw.date)) search.date = raw.date
  if (typeof raw.series === 'string') search.series = known(raw.series).join()
  const resolution = RESOLUTIONS[range ?? 'Day'].find((one) => one === raw.resolution)
  if (resolution) search.resolution = resolution
  const method = METHODS.find((one) => one === raw.method)
  if (method) search.method = method
  if (raw.view === 'table') search.view = 'table'
  return search
}

const known = (series: string) => CODES.filter((code) => series.split(',').includes(code))

export type ChartChoice = {
  interval: Interval
  date: SiteDay
  series: readonly string[]
  resolution: Resolution
  method: Method
  table: boolean
}

export function choiceOf(search: ChartSearch, today: SiteDay): ChartChoice {
  const interval = search.range ?? 'Day'
  const usual = USUAL[interval]
  return {
    interval,
    date: search.date ?? today,
    series: search.series === undefined ? usual.series : known(search.series),
    resolution: search.resolution ?? usual.resolution,
    method: search.method ?? 'mean',
    table: search.view === 'table',
  }
}

/** Another stretch of time: the day stays, what only made sense before goes. */
export const withInterval = (search: ChartSearch, range: Interval): ChartSearch => {
  const { resolution: _, series: __, ...rest } = search
  return { ...rest, range }
}

export function withToggled(search: ChartSearch, choice: ChartChoice, code: string): ChartSearch {
  const series = choice.series.includes(code)
    ? choice.series.filter((one) => one !== code)
    : [...choice.series, code]
  return { ...search, series: known(series.join()).join() }
}

/** The step before or after; null where nothing can have been measured yet. */
export function stepped({ interval, date }: ChartChoice, by: 1 | -1, today: SiteDay): SiteDay | null {
  const next = step(date, interval, by)
  return next > today ? null : next
}

/** The stretch of time is not over yet. */
export const isGrowing = ({ interval, date }: ChartChoice, today: SiteDay) =>
  startOf(date, interval) === startOf(today, interval)
