import { api, unwrap } from '@/lib/api/client'
import { ApiError, limitedAccessOf } from '@/lib/api/errors'
import type { components } from '@/lib/api/schema'
import { startLimitedSession, startSession } from '@/lib/session/session-store'
import type { Role } from '@/lib/session/tokens'

export type Credentials = components['schemas']['Login']
type TokenPair = components['schemas']['TokenPair']

export type Doors = {
  /** `mustEnrol`: the operator asks for a second factor first. */
  onLoggedIn: (role: Role, mustEnrol: boolean) => unknown
  /** The login was right, but no system is linked. */
  onNoSystems: () => unknown
}

/** Which second factors are accepted. */
export type Factors = { totp: boolean; passkey: boolean }

/** The password was right, and one of these is asked for; null where the server says something else. */
export function acceptedFactors(error: unknown): Factors | null {
  if (!(error instanceof ApiError)) return null
  const { code, passkey } = Object(error.body)
  if (code !== 'totp_required' && code !== 'passkey_required') return null
  return { totp: code === 'totp_required', passkey: passkey === true }
}

/** Logs in and goes on from there; throws what the server refuses. */
export const enter = (body: Credentials, doors: Doors) =>
  open(unwrap(api.POST('/api/auth/token/', { body })), doors)

/** The same by a passkey alone. */
export const enterByPasskey = (passkey: string, stayLoggedIn: boolean, doors: Doors) =>
  open(unwrap(api.POST('/api/auth/token/passkey/', { body: { passkey, stayLoggedIn } })), doors)

async function open(login: Promise<TokenPair>, { onLoggedIn, onNoSystems }: Doors) {
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
