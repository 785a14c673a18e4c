/** What the big chart shows, as the address keeps it: a link shows the same chart. */
import type { Method, Resolution } from '@/lib/api/chart-queries'
import { type Interval, isSiteDay, plusDays, type SiteDay, startOf, step } from '@/lib/site-day'
import { BEFORE, type Before } from './before'
import { CODES } from './series'
import { readStretch, type Stretch, stretchText } from './stretch'

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
const FORECASTS = ['ef', 'lf']
const ENERGIES = ['m4', 'm2', 'm2N', 'm5', 'm5N']

/** Days and weeks are looked at as curves, months and years as amounts. */
const USUAL: Record<Interval, { resolution: Resolution; series: readonly string[] }> = {
  Day: { resolution: 'quarter', series: POWERS },
  Week: { resolution: 'quarter', series: POWERS },
  Month: { resolution: 'day', series: ENERGIES },
  Year: { resolution: 'month', series: ENERGIES },
}

/** Today goes on: what the sun is expected to bring fills the rest of it. */
const USUAL_TODAY = [...POWERS, 'ef']

/** Only what differs from the usual stands in the address. */
export type ChartSearch = {
  sn?: string
  /** Systems beside the first, on the page of charts. */
  with?: string
  range?: Interval
  date?: SiteDay
  series?: string
  resolution?: Resolution
  method?: Method
  /** The same time before, behind it. */
  before?: Before
  zoom?: string
  view?: 'table'
}

/** What is wrong in an address is passed over. */
export function readChartSearch(raw: Record<string, unknown>): ChartSearch {
  const search: ChartSearch = {}
  if (isText(raw.sn)) search.sn = String(raw.sn)
  if (isText(raw.with)) search.with = String(raw.with)
  const range = INTERVALS.find((interval) => interval === raw.range)
  if (range) search.range = range
  if (isSiteDay(raw.date)) search.date = raw.date
  if (typeof raw.series === 'string') search.series = known(raw.series).join()
  const resolution = RESOLUTIONS[range ?? 'Day'].find((one) => one === raw.resolution)
  if (resolution) search.resolution = resolution
  const method = METHODS.find((one) => one === raw.method)
  if (method) search.method = method
  const before = BEFORE[range ?? 'Day'].find((one) => one === raw.before)
  if (before) search.before = before
  const zoom = readStretch(raw.zoom)
  if (zoom) search.zoom = stretchText(zoom)
  if (raw.view === 'table') search.view = 'table'
  return search
}

/** The address bar reads a serial number of digits alone, and -1, as a number. */
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'

const known = (series: string) => CODES.filter((code) => series.split(',').includes(code))

export type ChartChoice = {
  interval: Interval
  date: SiteDay
  series: readonly string[]
  resolution: Resolution
  method: Method
  before: Before | null
  /** What is visible of the stretch of time; null is all of it. */
  zoom: Stretch | null
  table: boolean
}

function usualSeries(interval: Interval, date: SiteDay, today: SiteDay): readonly string[] {
  if (interval !== 'Day' || date < today) return USUAL[interval].series
  // Of a day that has not begun there is nothing but what is expected.
  return date > today ? FORECASTS : USUAL_TODAY
}

export function choiceOf(search: ChartSearch, today: SiteDay): ChartChoice {
  const interval = search.range ?? 'Day'
  const usual = USUAL[interval]
  const date = search.date ?? today
  const series = search.series === undefined ? usualSeries(interval, date, today) : known(search.series)
  return {
    interval,
    date,
    series,
    resolution: search.resolution ?? usual.resolution,
    method: search.method ?? 'mean',
    before: search.before ?? null,
    zoom: readStretch(search.zoom),
    table: search.view === 'table',
  }
}

/** Another stretch of time: the day stays, what only made sense before goes. */
export const withInterval = (search: ChartSearch, range: Interval): ChartSearch => {
  const { resolution: _, series: __, zoom: ___, before, ...rest } = search
  return before && BEFORE[range].includes(before) ? { ...rest, range, before } : { ...rest, range }
}

/** Another day is seen as a whole. */
export const withDate = ({ zoom: _, ...rest }: ChartSearch, date: SiteDay): ChartSearch => ({ ...rest, date })

/** @param before null is nothing */
export const withBefore = ({ before: _, ...rest }: ChartSearch, before: Before | null): ChartSearch =>
  before ? { ...rest, before } : rest

export const withZoom = ({ zoom: _, ...rest }: ChartSearch, zoom: Stretch | null): ChartSearch =>
  zoom ? { ...rest, zoom: stretchText(zoom) } : rest

export function withToggled(search: ChartSearch, choice: ChartChoice, code: string): ChartSearch {
  const series = choice.series.includes(code)
    ? choice.series.filter((one) => one !== code)
    : [...choice.series, code]
  return { ...search, series: known(series.join()).join() }
}

/** More than these under each other compare nothing. */
export const MOST_SYSTEMS = 6

/** The systems to show, in the order in which they can be chosen. */
export function systemsOf({ with: others = '' }: ChartSearch, sn: string, choices: readonly string[]) {
  const wished = [sn, ...others.split(',')].slice(0, MOST_SYSTEMS)
  return choices.filter((one) => wished.includes(one))
}

/** With one system more or less; the last one stays. */
export function withSystem(search: ChartSearch, shown: readonly string[], sn: string): ChartSearch {
  const [first, ...others] = shown.includes(sn) ? shown.filter((one) => one !== sn) : [...shown, sn]
  const { with: _, ...rest } = search
  if (first === undefined) return search
  return others.length > 0 ? { ...rest, sn: first, with: others.join() } : { ...rest, sn: first }
}

/** Forecasts reach two days ahead. */
export const lastDay = (today: SiteDay) => plusDays(today, 2)

/** The step before or after; null where nothing can have been measured or forecast yet. */
export function stepped({ interval, date }: ChartChoice, by: 1 | -1, today: SiteDay): SiteDay | null {
  const next = step(date, interval, by)
  if (next <= (interval === 'Day' ? lastDay(today) : today)) return next
  // The last week ends today, however far the one before it is from there.
  return interval === 'Week' && date < today ? today : null
}

/** The stretch of time is not over yet. */
export const isGrowing = ({ interval, date }: ChartChoice, today: SiteDay) =>
  startOf(date, interval) >= startOf(today, interval)
