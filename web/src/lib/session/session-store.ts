import { create } from 'zustand'
import { SESSION_STORE } from '../storage-keys'
import { type Role, readRole, storeTokens, type Tokens } from './tokens'

/** The session's state in this tab. The tokens are shared by all tabs, see `tokens.ts`. */
type Session = {
  role: Role
  /** The token of the key page for owners without systems. Never stored as `access_token`. */
  limitedAccess: string | null
  /** The page has reloaded after a token renewal, which happens once per session. */
  reloaded: boolean
  /** The systems that this tab last saw, null before the first list. Compared at the next start. */
  serials: string[] | null
  /** The selected system, null before a choice. */
  selected: string | null
  /** The state of the update wizard, which alone reads it (`features/update/memory.ts`). */
  update: unknown
}

const guest = (): Session => ({
  role: readRole(),
  limitedAccess: null,
  reloaded: false,
  serials: null,
  selected: null,
  update: null,
})

/** The version of the stored format; state of another release is dropped. */
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

// The role is always read from local storage, because another tab may have changed the account.
useSession.subscribe(({ role: _, ...state }) =>
  sessionStorage.setItem(SESSION_STORE, JSON.stringify({ state, version: VERSION })),
)

/** Called after a successful login. */
export async function startSession(tokens: Tokens) {
  useSession.setState({ ...guest(), role: tokens.role })
  await storeTokens(tokens)
}

/** Called after a login without linked systems. */
export const startLimitedSession = (access: string) =>
  useSession.setState({ ...guest(), limitedAccess: access })

export const resetSessionStore = () => useSession.setState(guest())
