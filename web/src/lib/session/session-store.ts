import { create } from 'zustand'
import { SESSION_STORE } from '../storage-keys'
import { type Role, readRole, storeTokens, type Tokens } from './tokens'

/** How an update fares as far as this browser knows; a system that is not named has none. */
export type UpdateState = 'waiting' | 'started' | 'finished'

/** The update wizard, kept over a reload. */
type UpdateWizard = {
  /** The system that was chosen. */
  sn: string | null
  step: 0 | 1 | 2
  states: Readonly<Record<string, UpdateState>>
  /** Updates that go on, but that the person no longer wants to watch. */
  hidden: readonly string[]
  /** Why an update that waited does not begin any more: somebody withdrew it, or it waited for too long. */
  cancelled: 'withdrawn' | 'expired' | null
}

export const freshWizard: UpdateWizard = { sn: null, step: 0, states: {}, hidden: [], cancelled: null }

/** What this tab knows about its session. The tokens themselves are in `tokens.ts`, for all tabs. */
type Session = {
  role: Role
  /** Opens only the key page of an owner without systems. Never stored as `access_token`. */
  limitedAccess: string | null
  /** The page reloads once per session after its tokens were renewed. */
  reloaded: boolean
  /** The systems this tab last saw, null before the first list. At the next start a difference shows. */
  serials: string[] | null
  /** The system that the person looks at, null before a choice. */
  selected: string | null
  update: UpdateWizard
}

const guest = (): Session => ({
  role: readRole(),
  limitedAccess: null,
  reloaded: false,
  serials: null,
  selected: null,
  update: freshWizard,
})

/** Of what is stored: a tab that was opened by another release begins anew. */
const VERSION = 1

function stored(): Partial<Session> {
  try {
    const { state, version } = JSON.parse(sessionStorage.getItem(SESSION_STORE) ?? '{}')
    return version === VERSION ? state : {}
  } catch {
    return {}
  }
}

export const useSession = create<Session>(() => ({ ...guest(), ...stored() }))

// The role is read from local storage at every start: another tab may have changed the account.
useSession.subscribe(({ role: _, ...state }) =>
  sessionStorage.setItem(SESSION_STORE, JSON.stringify({ state, version: VERSION })),
)

/** After a successful login. */
export async function startSession(tokens: Tokens) {
  useSession.setState({ ...guest(), role: tokens.role })
  await storeTokens(tokens)
}

/** After a login that was right, but has no system to show. */
export const startLimitedSession = (access: string) =>
  useSession.setState({ ...guest(), limitedAccess: access })

export const resetSessionStore = () => useSession.setState(guest())
