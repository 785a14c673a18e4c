/** What this browser remembers of updates: in the tab's session, and in local storage for later tabs. */
import { freshWizard, type UpdateState, useSession } from '@/lib/session/session-store'
import { STORAGE } from '@/lib/storage-keys'
import type { PartUpdate } from './api'

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

const setWizard = (change: Partial<typeof freshWizard>) =>
  useSession.setState(({ update }) => ({ update: { ...update, ...change } }))

/** Stored in both places, or in neither. */
export function rememberState(sn: string, state: UpdateState | 'empty') {
  const { [sn]: known, ...others } = useSession.getState().update.states
  if (state === 'empty') {
    if (readStarted()?.sn === sn) localStorage.removeItem(STORAGE.updateStarted)
    if (known) setWizard({ states: others })
    return
  }
  const started: Started = { sn, state }
  localStorage.setItem(STORAGE.updateStarted, JSON.stringify(started))
  if (known !== state) setWizard({ states: { ...others, [sn]: state } })
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

/** Restores an update that was started in an earlier tab. */
export function restoreStarted() {
  const started = readStarted()
  if (!started || useSession.getState().update.sn !== null) return
  const { sn, state } = started
  setWizard({ sn, step: state === 'finished' ? 2 : 1, states: { [sn]: state } })
}

/** Choosing a system shows its update again, even if it was hidden. */
export function chooseSystem(sn: string | null) {
  const { hidden, cancelled } = useSession.getState().update
  setWizard({
    sn,
    step: 0,
    hidden: hidden.filter((other) => other !== sn),
    cancelled: sn === null ? cancelled : null,
  })
}

export function goToStep(step: 0 | 1 | 2) {
  if (useSession.getState().update.step !== step) setWizard({ step })
}

/** The next action removes the notice of a cancelled update. */
export const showCancelled = (cancelled: typeof freshWizard.cancelled) => setWizard({ cancelled })

/** Shows the notice once: it is removed with the next page load. @returns removes it */
export function forgetCancelled(): () => void {
  let found = useSession.getState().update.cancelled
  const unsubscribe = useSession.subscribe(({ update }) => {
    if (update.cancelled !== found) found = null
  })
  const forget = () => {
    if (found) showCancelled(null)
  }
  addEventListener('pagehide', forget)
  return () => {
    unsubscribe()
    removeEventListener('pagehide', forget)
  }
}

/** Ends the wizard for a system: clears choice, progress and state. */
export function clearWizard(sn: string) {
  rememberState(sn, 'empty')
  const { [sn]: _, ...stored } = read(STORAGE.updates) as Stored
  if (Object.keys(stored).length > 0) localStorage.setItem(STORAGE.updates, JSON.stringify(stored))
  else localStorage.removeItem(STORAGE.updates)
  const { states, hidden } = useSession.getState().update
  setWizard({ ...freshWizard, states, hidden })
}

/** Hiding does not stop an update; it is only not shown automatically any more. */
export const hideUpdate = (sn: string) =>
  setWizard({ hidden: [...useSession.getState().update.hidden.filter((other) => other !== sn), sn] })
