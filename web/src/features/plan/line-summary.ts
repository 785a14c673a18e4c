/** Summarises a line of the picture as numbers. */

type Point = { value: number; at: number }
export type LineSummary = { low: Point; high: Point; first: number; last: number }

/**
 * First, last, lowest and highest point of a line, the earliest where several are equal; null without a
 * point.
 */
export function lineSummaryOf(points: readonly { value: number | null; at: number }[]): LineSummary | null {
  const known = points.filter((point): point is Point => point.value !== null)
  const [first] = known
  if (!first) return null
  return {
    low: known.reduce((least, point) => (point.value < least.value ? point : least), first),
    high: known.reduce((most, point) => (point.value > most.value ? point : most), first),
    first: first.value,
    last: known.at(-1)?.value ?? first.value,
  }
}
