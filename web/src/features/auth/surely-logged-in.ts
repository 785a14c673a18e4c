import { logOut } from '@/lib/session/log-out'
import { refreshSession } from '@/lib/session/refresh'
import { readTokens } from '@/lib/session/tokens'

/**
 * Whether the session still holds, found out before anything is asked in its name: a session that has ended would
 * throw the person out to the login page, and the app's request would be lost.
 */
export async function surelyLoggedIn(): Promise<boolean> {
  const { access } = readTokens()
  if (!access) return false
  const outcome = await refreshSession(access)
  // Unreachable says nothing; the next call will.
  if (outcome === 'renewed' || outcome === 'unreachable') return true
  await logOut()
  return false
}
