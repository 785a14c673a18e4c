import { api, unwrap } from '@/lib/api/client'
import { ApiError, limitedAccessOf } from '@/lib/api/errors'
import type { components } from '@/lib/api/schema'
import { startLimitedSession, startSession } from '@/lib/session/session-store'
import type { Role } from '@/lib/session/tokens'

export type Credentials = components['schemas']['Login']
type TokenPair = components['schemas']['TokenPair']

export type LoginCallbacks = {
  /** `mustEnrol`: a second factor has to be set up first. */
  onLoggedIn: (role: Role, mustEnrol: boolean) => unknown
  /** The credentials are right, but no system is linked. */
  onNoSystems: () => unknown
}

/** The accepted second factors. */
export type Factors = { totp: boolean; passkey: boolean }

/** The second factors that the login requires; null for any other error. */
export function acceptedFactors(error: unknown): Factors | null {
  if (!(error instanceof ApiError)) return null
  const { code, passkey } = Object(error.body)
  if (code !== 'totp_required' && code !== 'passkey_required') return null
  return { totp: code === 'totp_required', passkey: passkey === true }
}

/** Logs in with a password; throws refusals. */
export const logInWithPassword = (body: Credentials, callbacks: LoginCallbacks) =>
  completeLogin(unwrap(api.POST('/api/auth/token/', { body })), callbacks)

/** Logs in with a passkey. */
export const logInWithPasskey = (passkey: string, stayLoggedIn: boolean, callbacks: LoginCallbacks) =>
  completeLogin(unwrap(api.POST('/api/auth/token/passkey/', { body: { passkey, stayLoggedIn } })), callbacks)

async function completeLogin(login: Promise<TokenPair>, { onLoggedIn, onNoSystems }: LoginCallbacks) {
  try {
    const { must_enrol, ...tokens } = await login
    await startSession(tokens)
    await onLoggedIn(tokens.role, must_enrol)
  } catch (error) {
    const limited = limitedAccessOf(error)
    if (!limited) throw error
    startLimitedSession(limited)
    await onNoSystems()
  }
}
