import { logOut } from '@/lib/session/log-out'
import { refreshSession } from '@/lib/session/refresh'
import { readTokens } from '@/lib/session/tokens'

/**
 * Ensures that the session is valid before a request uses it: an expired session would redirect to the login
 * page and lose the partner app's request.
 */
export async function ensureLoggedIn(): Promise<boolean> {
  const { access } = readTokens()
  if (!access) return false
  const outcome = await refreshSession(access)
  // No answer says nothing about the session; the next request will.
  if (outcome === 'renewed' || outcome === 'unreachable') return true
  await logOut()
  return false
}
