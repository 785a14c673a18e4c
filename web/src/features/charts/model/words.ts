/** Summarises a drawing as numbers: minimum, maximum, mean and total. */
import type { Graph } from '@/lib/data/charts'
import type { TimeRange } from './range'
import { roundForChart, type Series } from './series'
import { stepsOf } from './steps'

type Drawn = Pick<Graph, 'time' | 'resolution' | 'series'>

/** A value and the start of its step, in ms. */
export type Peak = { value: number; at: number }
export type Peaks = { low: Peak; high: Peak; mean: number; total: number }

/** The peaks of the visible range, the earliest of equal values; null if nothing was measured. */
export function peaksOf(
  graph: Drawn,
  { code, unit }: Pick<Series, 'code' | 'unit'>,
  zoom: TimeRange | null,
): Peaks | null {
  const points = stepsOf(graph).flatMap(([from, to], place) => {
    const value = roundForChart(graph.series[code]?.[place], unit)
    const visible = zoom === null || (from >= zoom[0] && from < zoom[1])
    return value === null || !visible ? [] : [{ value, at: graph.time[place] ?? 0, length: to - from }]
  })
  const [first] = points
  if (!first) return null
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((so, point) => so + of(point), 0)
  return {
    low: points.reduce((least, point) => (point.value < least.value ? point : least), first),
    high: points.reduce((most, point) => (point.value > most.value ? point : most), first),
    mean: sum(({ value, length }) => value * length) / sum(({ length }) => length),
    total: sum(({ value }) => value),
  }
}

/** Smaller energies are displayed as 0,0 kWh. In Wh. */
const MIN_ENERGY_WH = 50

/** The largest amount and its index; null if all are unknown or negligible. */
export function mostOf(amounts: readonly (number | null)[]): { amount: number; place: number } | null {
  const most = amounts.reduce<number>((so, amount) => Math.max(so, amount ?? 0), 0)
  return most >= MIN_ENERGY_WH ? { amount: most, place: amounts.indexOf(most) } : null
}
