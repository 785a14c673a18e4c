/** What this browser remembers of updates: in the tab's session, and in local storage for later tabs. */
import { useSession } from '@/lib/session/session-store'
import { STORAGE } from '@/lib/storage-keys'
import type { PartUpdate } from './data'
import { FRESH, type UpdateState, type Wizard } from './machine'

const wizardIn = ({ update }: { update: unknown }) => (update as Wizard | null) ?? FRESH

export const useWizardState = () => useSession(wizardIn)
export const readWizard = () => wizardIn(useSession.getState())
export const writeWizard = (update: Wizard) => useSession.setState({ update })

/** The last started update. */
type Started = { sn: string; state: UpdateState }
/** The server's answer to each start, and whether the update was interrupted since. */
type Stored = Record<string, { updates: PartUpdate[]; interrupted: boolean }>

const STATES: readonly unknown[] = ['waiting', 'started', 'finished'] satisfies UpdateState[]

function read(key: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}

export function readStarted(): Started | null {
  const { sn, state } = read(STORAGE.updateStarted)
  return typeof sn === 'string' && STATES.includes(state) ? { sn, state: state as UpdateState } : null
}

/** Undefined: there is no update any more. */
export function storeStarted(sn: string, state: UpdateState | undefined) {
  if (state) localStorage.setItem(STORAGE.updateStarted, JSON.stringify({ sn, state } satisfies Started))
  else if (readStarted()?.sn === sn) localStorage.removeItem(STORAGE.updateStarted)
}

export function storeUpdates(sn: string, updates: PartUpdate[]) {
  const stored: Stored = { ...(read(STORAGE.updates) as Stored), [sn]: { updates, interrupted: false } }
  localStorage.setItem(STORAGE.updates, JSON.stringify(stored))
}

export function markInterrupted(sn: string) {
  const stored = read(STORAGE.updates) as Stored
  const updates = stored[sn]?.updates ?? []
  localStorage.setItem(STORAGE.updates, JSON.stringify({ ...stored, [sn]: { updates, interrupted: true } }))
}

/** Removes everything about a system. */
export function forgetUpdate(sn: string) {
  storeStarted(sn, undefined)
  const { [sn]: _, ...stored } = read(STORAGE.updates) as Stored
  if (Object.keys(stored).length > 0) localStorage.setItem(STORAGE.updates, JSON.stringify(stored))
  else localStorage.removeItem(STORAGE.updates)
}
