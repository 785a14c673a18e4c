/** What the list of systems means when the portal starts (specification 4). */
import type { Role } from '@/lib/session/tokens'

type Start = {
  role: Role
  /** What this tab knew before, null if nothing. */
  known: readonly string[] | null
  /** What the server says now. No answer is no list: then nothing is decided. */
  found: readonly string[]
}

/** `changed`: go to the dashboard, for what is on screen may be gone. `no_systems`: an owner has nothing to see. */
export type StartUp = 'stay' | 'changed' | 'no_systems'

export function startUp({ role, known, found }: Start): StartUp {
  if (found.length === 0 && role === 'user') return 'no_systems'
  return known === null || sameSystems(known, found) ? 'stay' : 'changed'
}

function sameSystems(known: readonly string[], found: readonly string[]) {
  const now = new Set(found)
  return now.size === new Set(known).size && known.every((sn) => now.has(sn))
}
