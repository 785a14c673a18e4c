/** What is in force at a system, in display order, and whether it restricts the battery. */
import type { LiveEntry } from '@/lib/live/live'

export type InForce = LiveEntry['in_force'][number]

/**
 * Effects of a system, most urgent first. Entries that an older version has cached have none. A pause whose
 * time is over is left out before the next message arrives.
 */
export const inForceOf = (entry: Partial<Pick<LiveEntry, 'in_force'>> | undefined, now: number): InForce[] =>
  (entry?.in_force ?? [])
    .filter(({ until }) => until == null || until > now)
    .sort((one, other) => rankOf(one) - rankOf(other))

/** Display order. An update that waits for the main switch comes before all; '' is where unknown kinds go. */
const ORDER = ['update', 'grid_limit', 'brake', 'pause', 'charge', 'calibration', '', 'plan', 'reserve']

function rankOf({ kind, switch: step }: InForce): number {
  if (kind === 'update' && step != null) return -1
  return ORDER.indexOf(ORDER.includes(kind) ? kind : '')
}

/** Effects that people set up themselves: shown as a small line. */
const QUIET: readonly string[] = ['plan', 'reserve']

export const isQuiet = ({ kind }: InForce) => QUIET.includes(kind)

/** Effects that keep the battery from working as usual. The brake only stops changes by people. */
const RESTRICTING: readonly string[] = ['update', 'grid_limit', 'pause']

export const restrictionsOf = (list: readonly InForce[]) =>
  list.filter(({ kind }) => RESTRICTING.includes(kind))

/** The longest restart of an update; a longer absence has another reason. */
const RESTART_TIME = 10 * 60_000

/**
 * Whether a system is offline because its update restarts it. @param since when it went offline @param now
 * server time, like `since`
 */
export function isRestarting(
  list: readonly InForce[],
  since: number | null | undefined,
  now: number,
): boolean {
  const update = updateIn(list)
  const runs = update?.state === 'running' && update.switch == null
  return runs && since != null && now - since < RESTART_TIME
}

export const updateIn = (list: readonly InForce[]) => list.find(({ kind }) => kind === 'update')
