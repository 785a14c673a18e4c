/** What is in force at a system: what is drawn of it, and what it means for "all is well". */
import type { LiveEntry } from '@/lib/live/live'

export type InForce = LiveEntry['in_force'][number]

/**
 * What needs the person first comes first. What an older version of the app has kept has none. A pause that is over is
 * not drawn until the next news.
 */
export const inForceOf = (entry: Partial<Pick<LiveEntry, 'in_force'>> | undefined, now: number): InForce[] =>
  (entry?.in_force ?? [])
    .filter(({ until }) => until == null || until > now)
    .sort((one, other) => rankOf(one) - rankOf(other))

/** An update that waits for the main switch stands before them all; what is not known yet comes before the quiet ones. */
const ORDER = ['update', 'grid_limit', 'brake', 'pause', 'charge', 'calibration', '', 'plan', 'reserve']

function rankOf({ kind, switch: step }: InForce): number {
  if (kind === 'update' && step != null) return -1
  return ORDER.indexOf(ORDER.includes(kind) ? kind : '')
}

/** What goes on as its people set it up: worth a small line, no reason to look twice. */
const QUIET: readonly string[] = ['plan', 'reserve']

export const isQuiet = ({ kind }: InForce) => QUIET.includes(kind)

/** What keeps the battery from doing its work as usual. The brake only keeps people from changing something. */
const RESTRICTING: readonly string[] = ['update', 'grid_limit', 'pause']

export const restrictionsOf = (list: readonly InForce[]) =>
  list.filter(({ kind }) => RESTRICTING.includes(kind))

/** An update that still runs ends its restart within this time; later something else is wrong. */
const RESTART_TIME = 10 * 60_000

/**
 * Whether a system is away because its update restarts it.
 * @param since when it went offline
 * @param now on the server's clock, like `since`
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
