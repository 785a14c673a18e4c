/** Which way a power goes: a word, for people never see a bare sign. */

/** Meters never read zero: less than this is no flow. In watts. */
export const DEAD_BAND = 30

/** The word for a signed power, null when it is not known. */
export type Direction = 'positive' | 'negative' | 'idle' | null

/** @param deadBand of several systems together each has its own noise */
export function directionOf(watts: number | null, deadBand = DEAD_BAND): Direction {
  if (watts === null) return null
  if (Math.abs(watts) <= deadBand) return 'idle'
  return watts > 0 ? 'positive' : 'negative'
}
