/** The direction of a power as a word, because signs are never displayed. */

/** Meters never read zero; smaller values count as no flow. In watts. */
export const DEAD_BAND = 30

/** The direction of a signed power, null if it is unknown. */
export type Direction = 'positive' | 'negative' | 'idle' | null

/**
 * The grid's dead band: the noise of several meters adds up. @param reporting how many systems are in the
 * value
 */
export const gridDeadBand = (reporting = 1) => DEAD_BAND * Math.max(1, reporting)

export function directionOf(watts: number | null, deadBand = DEAD_BAND): Direction {
  if (watts === null) return null
  if (Math.abs(watts) <= deadBand) return 'idle'
  return watts > 0 ? 'positive' : 'negative'
}
