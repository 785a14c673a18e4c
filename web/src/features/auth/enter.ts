import { api, unwrap } from '@/lib/api/client'
import { ApiError, limitedAccessOf } from '@/lib/api/errors'
import type { components } from '@/lib/api/schema'
import { startLimitedSession, startSession } from '@/lib/session/session-store'
import type { Role } from '@/lib/session/tokens'

export type Credentials = components['schemas']['Login']

export type Doors = {
  /** `mustEnrol`: the operator asks for a second factor first. */
  onLoggedIn: (role: Role, mustEnrol: boolean) => unknown
  /** The password was right, but no system is linked. */
  onNoSystems: () => unknown
}

/** The password was right, and a second factor is asked for. */
export const wantsTotp = (error: unknown) =>
  error instanceof ApiError && Object(error.body).code === 'totp_required'

/** Logs in and goes on from there; throws what the server refuses. */
export async function enter(body: Credentials, { onLoggedIn, onNoSystems }: Doors) {
  try {
    const { must_enrol, ...tokens } = await unwrap(api.POST('/api/auth/token/', { body }))
    await startSession(tokens)
    await onLoggedIn(tokens.role, must_enrol)
  } catch (error) {
    const limited = limitedAccessOf(error)
    if (!limited) throw error
    startLimitedSession(limited)
    await onNoSystems()
  }
}
