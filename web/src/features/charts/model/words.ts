/** What a drawing says at a glance, as numbers: how far a series reaches, and when. */
import type { Graph } from '@/lib/api/chart-queries'
import { drawn, type Series } from './series'
import { stepsOf } from './steps'
import type { Stretch } from './stretch'

type Drawn = Pick<Graph, 'time' | 'resolution' | 'series'>

/** A value and the beginning of its step, in ms. */
export type Peak = { value: number; at: number }
export type Reach = { low: Peak; high: Peak; mean: number; total: number }

/** The lowest and the highest value of what is visible, each where it comes first; null where nothing was measured. */
export function reachOf(
  graph: Drawn,
  { code, unit }: Pick<Series, 'code' | 'unit'>,
  zoom: Stretch | null,
): Reach | null {
  const points = stepsOf(graph).flatMap(([from, to], place) => {
    const value = drawn(graph.series[code]?.[place], unit)
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

/** Less energy than that is written as 0,0 kWh. In Wh. */
const LEAST = 50

/** The largest amount of a list, and its place; null where nothing is known or nothing is to be seen. */
export function mostOf(amounts: readonly (number | null)[]): { amount: number; place: number } | null {
  const most = amounts.reduce<number>((so, amount) => Math.max(so, amount ?? 0), 0)
  return most >= LEAST ? { amount: most, place: amounts.indexOf(most) } : null
}
