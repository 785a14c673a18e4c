/** The values beside the series without a cursor: the current ones, or one number for the visible range. */
import type { Graph, Method } from '@/lib/data/charts'
import type { LiveEntry } from '@/lib/live/live'
import type { SiteDay } from '@/lib/site-day'
import { upToNow, type Values } from './before'
import type { ChartChoice } from './choice'
import type { TimeRange } from './range'
import type { Series } from './series'
import { stepsOf } from './steps'

/** For powers, state of charge and voltage. Energies always have their total. */
export type SummaryKind = 'now' | Method

/** @param live the system reports now */
export function kindOf(
  { interval, date, zoom, method }: Pick<ChartChoice, 'interval' | 'date' | 'zoom' | 'method'>,
  today: SiteDay,
  live: boolean,
): SummaryKind {
  return live && interval === 'Day' && date === today && zoom === null ? 'now' : method
}

export type Summary = {
  kind: SummaryKind
  /** The visible range; null is everything. */
  zoom: TimeRange | null
  /** The current entry, if the system reports. */
  live?: LiveEntry
}

const LIVE: Record<string, (entry: LiveEntry) => number | null | undefined> = {
  m0: ({ grid_power }) => grid_power,
  m1: ({ battery_power }) => battery_power,
  m3: ({ SOC }) => SOC,
  m6: ({ PV_power }) => PV_power,
  m7: ({ grid_voltage }) => grid_voltage,
  m8: ({ m8 }) => m8,
  ef: ({ energy_forecast }) => energy_forecast,
  lf: ({ load_forecast }) => load_forecast,
}

export function summaryOf(
  graph: Pick<Graph, 'time' | 'resolution' | 'series'> | undefined,
  { code, unit }: Pick<Series, 'code' | 'unit'>,
  { kind, zoom, live }: Summary,
): number | null {
  if (kind === 'now' && unit !== 'energy') return (live && LIVE[code]?.(live)) ?? null
  const steps = graph ? stepsOf(graph) : []
  const points = steps.flatMap(([from, to], index) => {
    const value = graph?.series[code]?.[index] ?? null
    const visible = zoom === null || (from >= zoom[0] && from < zoom[1])
    return value === null || !visible ? [] : [{ value, length: to - from }]
  })
  if (points.length === 0) return null
  const values = points.map(({ value }) => value)
  if (unit === 'energy' || kind === 'sum') return sum(values)
  if (kind === 'min') return Math.min(...values)
  if (kind === 'max') return Math.max(...values)
  return sum(points.map(({ value, length }) => value * length)) / sum(points.map(({ length }) => length))
}

/** The same for the compared period, as far as the chart has values. */
export function earlierSummary(
  graph: Pick<Graph, 'time' | 'resolution' | 'series'>,
  values: Values,
  series: Pick<Series, 'code' | 'unit'>,
  summary: Summary,
): number | null {
  const earlier = upToNow(values, graph)
  if (summary.kind !== 'now' || series.unit === 'energy')
    return summaryOf({ ...graph, series: earlier }, series, summary)
  const last = (graph.series[series.code] ?? []).findLastIndex((value) => value !== null)
  return earlier[series.code]?.[last] ?? null
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
