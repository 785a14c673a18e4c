/** The sparkline of a card: today's quarter-hours in a box of 120 × 32. */
import type { Graph } from '@/lib/data/charts'

export const BOX = { width: 120, height: 32 } as const
const MARGIN = 2

/**
 * One SVG path (`M…L…`) for each segment without a gap. `floor` is drawn at the bottom edge at the latest.
 */
export function sparkPaths(day: readonly (number | null)[], floor?: number): string[] {
  const values = day.slice(0, day.findLastIndex((value) => value !== null) + 1)
  const known = values.filter((value) => value !== null)
  const low = Math.min(...known, floor ?? Number.POSITIVE_INFINITY)
  const span = Math.max(...known) - low || 1
  const x = (place: number) => (place / Math.max(1, values.length - 1)) * BOX.width
  const y = (value: number) => BOX.height - MARGIN - ((value - low) / span) * (BOX.height - 2 * MARGIN)
  return segmentsOf(values).map(
    ({ start, values: segment }) =>
      `M${segment.map((value, place) => `${x(start + place).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`,
  )
}

type Segment = { start: number; values: number[] }

function segmentsOf(values: readonly (number | null)[]): Segment[] {
  const found: Segment[] = []
  values.forEach((value, place) => {
    if (value === null) return
    const last = found.at(-1)
    if (last && last.start + last.values.length === place) last.values.push(value)
    else found.push({ start: place, values: [value] })
  })
  return found.filter((segment) => segment.values.length > 1)
}

export type Extremes = { low: number; high: number; highAt: number }

/** Lowest and highest value of a series, and the start of the highest; null without values. */
export function extremesOf(graph: Graph | undefined, code: string): Extremes | null {
  const values = graph?.series[code] ?? []
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const high = Math.max(...known)
  return { low: Math.min(...known), high, highAt: graph?.time[values.indexOf(high)] ?? 0 }
}

/** Adds the current value to the day's extremes, which come from quarter-hourly means. */
export function withCurrentValue(
  day: Extremes | null,
  value: number | null,
  at: number | null,
): Extremes | null {
  if (day === null || value === null || at === null) return day
  const { low, high, highAt } = day
  return {
    low: Math.min(low, value),
    ...(value > high ? { high: value, highAt: at } : { high, highAt }),
  }
}
