/** Which way a power goes: a word, for people never see a bare sign. */

/** Meters never read zero: less than this is no flow. In watts. */
export const DEAD_BAND = 30

/** The word for a signed power, null when it is not known. */
export type Direction = 'positive' | 'negative' | 'idle' | null

/**
 * The grid's: of several systems every meter has its own noise, and it adds up.
 * @param reporting how many systems are in the value
 */
export const gridDeadBand = (reporting = 1) => DEAD_BAND * Math.max(1, reporting)

export function directionOf(watts: number | null, deadBand = DEAD_BAND): Direction {
  if (watts === null) return null
  if (Math.abs(watts) <= deadBand) return 'idle'
  return watts > 0 ? 'positive' : 'negative'
}
