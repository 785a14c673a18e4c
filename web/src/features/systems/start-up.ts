/** What the list of systems means for the session at start (specification 4). */
import type { Role } from '@/lib/session/tokens'

type Start = {
  role: Role
  /** The systems that this tab knew, null if it is new. */
  known: readonly string[] | null
  /** The systems in the server's answer; without an answer nothing is decided. */
  found: readonly string[]
}

/**
 * `changed`: go to the dashboard, because the current page's system may be gone. `no_systems`: the owner has
 * none.
 */
export type StartUp = 'stay' | 'changed' | 'no_systems'

export function startUp({ role, known, found }: Start): StartUp {
  if (found.length === 0 && role === 'user') return 'no_systems'
  return known === null || sameSystems(known, found) ? 'stay' : 'changed'
}

function sameSystems(known: readonly string[], found: readonly string[]) {
  const now = new Set(found)
  return now.size === new Set(known).size && known.every((sn) => now.has(sn))
}
