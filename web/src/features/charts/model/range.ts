/** A time range in seconds, as uPlot uses it, with zoom and pan. */
export type TimeRange = readonly [from: number, to: number]

/** The closest zoom as a fraction of the whole: five minutes of a day. */
const MIN_FRACTION = 1 / 288

/** Clamps a range to the whole; null if it is the whole. */
export function clampRange([from, to]: TimeRange, [first, last]: TimeRange): TimeRange | null {
  const whole = last - first
  const length = Math.max(to - from, whole * MIN_FRACTION)
  if (length > whole * 0.999) return null
  const start = Math.min(Math.max((from + to - length) / 2, first), last - length)
  return [start, start + length]
}

/** Zooms in with a factor below 1, out above 1; `around` keeps its position on screen. */
export const zoomRange = (
  [from, to]: TimeRange,
  factor: number,
  around: number = (from + to) / 2,
): TimeRange => [around - (around - from) * factor, around + (to - around) * factor]

/** Pans by a fraction of the range: -0.5 is half a screen back. */
export function panRange([from, to]: TimeRange, part: number): TimeRange {
  const by = (to - from) * part
  return [from + by, to + by]
}

/** From the first start to the last end. */
export const joinRanges = (ranges: readonly TimeRange[]): TimeRange => [
  Math.min(...ranges.map(([from]) => from)),
  Math.max(...ranges.map(([, to]) => to)),
]

/** Serialises a range for the address. */
export const serialiseRange = (range: TimeRange) => range.map(Math.round).join('_')

/** Null if the text is not a range. */
export function parseRange(text: unknown): TimeRange | null {
  const [, from, to] = (typeof text === 'string' && /^(\d{1,11})_(\d{1,11})$/.exec(text)) || []
  const range = [Number(from), Number(to)] as const
  return range[0] < range[1] ? range : null
}
