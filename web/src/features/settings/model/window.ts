/** A window of the day as the parts of a strip, 0 being midnight and 1 the next one. */
export type Bar = { from: number; to: number }

const DAY = 24 * 60

/** One that passes midnight has two parts. Nothing is drawn of what is not known or has no minute. */
export function barsOf(start: string | null, end: string | null): Bar[] {
  if (start === null || end === null) return []
  const [from, to] = [partOf(start), partOf(end)]
  if (from < to) return [{ from, to }]
  if (from === to) return []
  return [
    { from: 0, to },
    { from, to: 1 },
  ].filter((bar) => bar.to > bar.from)
}

function partOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return (hours * 60 + minutes) / DAY
}
