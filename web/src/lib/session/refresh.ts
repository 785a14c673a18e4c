/** Renews the tokens: one request at a time, in this tab and across tabs. */
import { FORM_TYPE, toForm } from '../api/form'
import { REFRESH_TIMEOUT } from '../constants'
import { isRole, readTokens, storeTokens, type Tokens } from './tokens'

/**
 * `expired`: the server refused, or there is no refresh token. `unreachable`: no answer, or one that says
 * nothing about the session, so the tokens stay. `invalid_reply`: "Invalid response from token refresh API".
 */
export type RefreshOutcome = 'renewed' | 'expired' | 'unreachable' | 'invalid_reply'

const PATH = '/api/auth/token/refresh/'
const LOCK = 'suncellar:refresh'

let running: Promise<RefreshOutcome> | undefined

/** @param refused the access token that was refused, null if it is gone */
export function refreshSession(refused: string | null): Promise<RefreshOutcome> {
  running ??= withLock(() => renew(refused)).finally(() => {
    running = undefined
  })
  return running
}

/**
 * Web Locks exist only on secure origins, and a sleeping tab may hold one for long: then the server's grace
 * period for old refresh tokens has to suffice.
 */
async function withLock(work: () => Promise<RefreshOutcome>): Promise<RefreshOutcome> {
  if (!navigator.locks) return work()
  const signal = AbortSignal.timeout(REFRESH_TIMEOUT)
  let locked = false
  const workLocked = () => {
    locked = true
    return work()
  }
  return navigator.locks.request(LOCK, { signal }, workLocked).catch((error: unknown) => {
    if (locked) throw error
    return work()
  })
}

async function renew(refused: string | null): Promise<RefreshOutcome> {
  // Reads the tokens again after the lock: another tab may have renewed them.
  const { access, refresh } = readTokens()
  if (access && access !== refused) return 'renewed'
  if (!refresh) return 'expired'

  const response = await ask(refresh)
  if (!response) return 'unreachable'
  if (!response.ok) return response.status === 400 || response.status === 401 ? 'expired' : 'unreachable'

  const tokens = tokensOf(await response.json().catch(() => null))
  if (!tokens) return 'invalid_reply'
  // A logout during the request wins.
  if (readTokens().refresh !== refresh) return readTokens().access ? 'renewed' : 'expired'
  await storeTokens(tokens)
  return 'renewed'
}

async function ask(refresh: string): Promise<Response | null> {
  try {
    return await fetch(new URL(PATH, location.origin), {
      method: 'POST',
      headers: { 'Content-Type': FORM_TYPE },
      body: toForm({ refresh }),
      signal: AbortSignal.timeout(REFRESH_TIMEOUT),
    })
  } catch {
    return null
  }
}

function tokensOf(body: unknown): Tokens | null {
  const { access, refresh, role } = Object(body) as Record<string, unknown>
  if (typeof access !== 'string' || typeof refresh !== 'string' || !access || !refresh) return null
  return isRole(role) ? { access, refresh, role } : null
}
