/** A stretch of time, in seconds as the drawing counts them, and what zoom and pan make of it. */
export type Stretch = readonly [from: number, to: number]

/** The closest one can look is a 288th of the whole: five minutes of a day. */
const CLOSEST = 1 / 288

/** The part of the whole that comes nearest to the wish; null is the whole itself. */
export function within([from, to]: Stretch, [first, last]: Stretch): Stretch | null {
  const whole = last - first
  const length = Math.max(to - from, whole * CLOSEST)
  if (length > whole * 0.999) return null
  const start = Math.min(Math.max((from + to - length) / 2, first), last - length)
  return [start, start + length]
}

/** A factor below 1 looks closer, above 1 from further away; the moment `around` stays where it is on the screen. */
export const zoomed = ([from, to]: Stretch, factor: number, around: number = (from + to) / 2): Stretch => [
  around - (around - from) * factor,
  around + (to - around) * factor,
]

/** By a part of what is shown: -0.5 is half a screen back. */
export function panned([from, to]: Stretch, part: number): Stretch {
  const by = (to - from) * part
  return [from + by, to + by]
}

/** From the first beginning to the last end. */
export const joined = (stretches: readonly Stretch[]): Stretch => [
  Math.min(...stretches.map(([from]) => from)),
  Math.max(...stretches.map(([, to]) => to)),
]

/** As the address keeps it. */
export const stretchText = (stretch: Stretch) => stretch.map(Math.round).join('_')

/** Null where the text is no stretch of time. */
export function readStretch(text: unknown): Stretch | null {
  const [, from, to] = (typeof text === 'string' && /^(\d{1,11})_(\d{1,11})$/.exec(text)) || []
  const stretch = [Number(from), Number(to)] as const
  return stretch[0] < stretch[1] ? stretch : null
}
