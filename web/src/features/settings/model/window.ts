/** A daily window as parts of a bar from 0 to 1, midnight to midnight. */
export type Bar = { from: number; to: number }

const DAY = 24 * 60

/** A window across midnight has two parts; an unknown or empty one has none. */
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
