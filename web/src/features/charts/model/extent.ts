/** Common extents, so that charts below each other can be compared. */
import type { Graph } from '@/lib/data/charts'
import { roundForChart, type Series, type Unit } from './series'

/** Lowest and highest value of each unit. */
export type Extents = Partial<Record<Unit, readonly [low: number, high: number]>>

export function extentsOf(graphs: readonly Graph[], series: readonly Series[]): Extents {
  const extents: Extents = {}
  for (const { code, unit } of series)
    for (const graph of graphs)
      for (const value of graph.series[code] ?? []) {
        const number = roundForChart(value, unit)
        if (number === null) continue
        const [low, high] = extents[unit] ?? [number, number]
        extents[unit] = [Math.min(low, number), Math.max(high, number)]
      }
  return extents
}
