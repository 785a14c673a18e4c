/** What the picture of a plan says at a glance, as numbers. */

type Point = { value: number; at: number }
export type Course = { low: Point; high: Point; first: number; last: number }

/** Where a line begins and ends, and its lowest and highest point, each where it comes first; null without a point. */
export function courseOf(points: readonly { value: number | null; at: number }[]): Course | null {
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
