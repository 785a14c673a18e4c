/** Follows changes of the shared tokens by other tabs. */
import { STORAGE } from '../storage-keys'
import { forceLogOut } from './log-out'
import { type RefreshOutcome, refreshSession } from './refresh'
import { readTokens } from './tokens'

/** At the start: a refresh token without an access token is renewed. */
export async function resumeSession() {
  const { access, refresh } = readTokens()
  if (!access && refresh) await applyOutcome(await refreshSession(null))
}

/** When another tab has removed the access token: renews it, or logs out without a refresh token. */
export function watchTokens(): () => void {
  const onStorage = ({ key, newValue, oldValue }: StorageEvent) => {
    const accessRemoved = key === STORAGE.access && newValue === null && oldValue !== null
    // `localStorage.clear()` has no key.
    if (!accessRemoved && key !== null) return
    void (async () => {
      if (!readTokens().access) await applyOutcome(await refreshSession(null))
    })()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

async function applyOutcome(outcome: RefreshOutcome) {
  if (outcome === 'expired') await forceLogOut('session_ended')
  if (outcome === 'invalid_reply') await forceLogOut('refresh_reply')
}
