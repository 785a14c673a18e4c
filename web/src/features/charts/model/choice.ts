/** The big chart's search parameters, and the choice that they describe. */
import type { Method, Resolution } from '@/lib/data/charts'
import { type Interval, isSiteDay, plusDays, type SiteDay, startOf, step } from '@/lib/site-day'
import { BEFORE, type Before } from './before'
import { parseRange, serialiseRange, type TimeRange } from './range'
import { CODES } from './series'

export const INTERVALS = ['Day', 'Week', 'Month', 'Year'] as const satisfies Interval[]
export const METHODS = ['mean', 'min', 'max', 'sum'] as const satisfies Method[]

/** The resolutions of each interval, limited by the number of points. */
export const RESOLUTIONS: Record<Interval, readonly Resolution[]> = {
  Day: ['minute', 'quarter', 'hour'],
  Week: ['quarter', 'hour', 'day'],
  Month: ['quarter', 'hour', 'day'],
  Year: ['day', 'month'],
}

const POWERS = ['m6', 'm8', 'm1', 'm0', 'm3']
const FORECASTS = ['ef', 'lf']
const ENERGIES = ['m4', 'm2', 'm2N', 'm5', 'm5N']

/** The defaults: powers for days and weeks, energies for months and years. */
const DEFAULTS: Record<Interval, { resolution: Resolution; series: readonly string[] }> = {
  Day: { resolution: 'quarter', series: POWERS },
  Week: { resolution: 'quarter', series: POWERS },
  Month: { resolution: 'day', series: ENERGIES },
  Year: { resolution: 'month', series: ENERGIES },
}

/** Today's default includes the sun's forecast. */
const TODAY_SERIES = [...POWERS, 'ef']

/** Defaults are left out of the address. */
export type ChartSearch = {
  sn?: string
  /** Further systems on the charts page, separated by commas. */
  with?: string
  range?: Interval
  date?: SiteDay
  series?: string
  resolution?: Resolution
  method?: Method
  /** The comparison. */
  before?: Before
  zoom?: string
  view?: 'table'
}

/** Ignores invalid values. */
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
  const zoom = parseRange(raw.zoom)
  if (zoom) search.zoom = serialiseRange(zoom)
  if (raw.view === 'table') search.view = 'table'
  return search
}

/** The router parses `-1` and serial numbers of digits only as numbers. */
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'

const known = (series: string) => CODES.filter((code) => series.split(',').includes(code))

export type ChartChoice = {
  interval: Interval
  date: SiteDay
  series: readonly string[]
  resolution: Resolution
  method: Method
  before: Before | null
  /** The visible range; null is everything. */
  zoom: TimeRange | null
  table: boolean
}

function defaultSeries(interval: Interval, date: SiteDay, today: SiteDay): readonly string[] {
  if (interval !== 'Day' || date < today) return DEFAULTS[interval].series
  // A future day has only forecasts.
  return date > today ? FORECASTS : TODAY_SERIES
}

export function choiceOf(search: ChartSearch, today: SiteDay): ChartChoice {
  const interval = search.range ?? 'Day'
  const usual = DEFAULTS[interval]
  const date = search.date ?? today
  const series = search.series === undefined ? defaultSeries(interval, date, today) : known(search.series)
  return {
    interval,
    date,
    series,
    resolution: search.resolution ?? usual.resolution,
    method: search.method ?? 'mean',
    before: search.before ?? null,
    zoom: parseRange(search.zoom),
    table: search.view === 'table',
  }
}

/** Changes the interval and keeps the date; resets what depends on the interval. */
export const withInterval = (search: ChartSearch, range: Interval): ChartSearch => {
  const { resolution: _, series: __, zoom: ___, before, ...rest } = search
  return before && BEFORE[range].includes(before) ? { ...rest, range, before } : { ...rest, range }
}

/** Changing the date resets the zoom. */
export const withDate = ({ zoom: _, ...rest }: ChartSearch, date: SiteDay): ChartSearch => ({ ...rest, date })

/** @param before null for no comparison */
export const withBefore = ({ before: _, ...rest }: ChartSearch, before: Before | null): ChartSearch =>
  before ? { ...rest, before } : rest

export const withZoom = ({ zoom: _, ...rest }: ChartSearch, zoom: TimeRange | null): ChartSearch =>
  zoom ? { ...rest, zoom: serialiseRange(zoom) } : rest

export function withToggled(search: ChartSearch, choice: ChartChoice, code: string): ChartSearch {
  const series = choice.series.includes(code)
    ? choice.series.filter((one) => one !== code)
    : [...choice.series, code]
  return { ...search, series: known(series.join()).join() }
}

/** The maximum number of charts below each other. */
export const MAX_SYSTEMS = 6

/** The systems to show, in menu order. */
export function systemsOf({ with: others = '' }: ChartSearch, sn: string, choices: readonly string[]) {
  const requested = [sn, ...others.split(',')].slice(0, MAX_SYSTEMS)
  return choices.filter((one) => requested.includes(one))
}

/** Adds or removes a system; the last one stays. */
export function withSystem(search: ChartSearch, shown: readonly string[], sn: string): ChartSearch {
  const [first, ...others] = shown.includes(sn) ? shown.filter((one) => one !== sn) : [...shown, sn]
  const { with: _, ...rest } = search
  if (first === undefined) return search
  return others.length > 0 ? { ...rest, sn: first, with: others.join() } : { ...rest, sn: first }
}

/** Forecasts cover two days. */
export const lastDay = (today: SiteDay) => plusDays(today, 2)

/** The next or previous date; null beyond the available data. */
export function stepDate({ interval, date }: ChartChoice, by: 1 | -1, today: SiteDay): SiteDay | null {
  const next = step(date, interval, by)
  if (next <= (interval === 'Day' ? lastDay(today) : today)) return next
  // The last week ends today, even if that is less than a step away.
  return interval === 'Week' && date < today ? today : null
}

/** The period is not over yet. */
export const isGrowing = ({ interval, date }: ChartChoice, today: SiteDay) =>
  startOf(date, interval) >= startOf(today, interval)
