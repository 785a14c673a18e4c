/** How far values reach, so that charts under each other can be compared by height. */
import type { Graph } from '@/lib/api/chart-queries'
import { drawn, type Series, type Unit } from './series'

/** The lowest and the highest value of each unit. */
export type Extents = Partial<Record<Unit, readonly [low: number, high: number]>>

export function extentsOf(graphs: readonly Graph[], series: readonly Series[]): Extents {
  const extents: Extents = {}
  for (const { code, unit } of series)
    for (const graph of graphs)
      for (const value of graph.series[code] ?? []) {
        const number = drawn(value, unit)
        if (number === null) continue
        const [low, high] = extents[unit] ?? [number, number]
        extents[unit] = [Math.min(low, number), Math.max(high, number)]
      }
  return extents
}
