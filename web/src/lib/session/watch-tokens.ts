/** Keeps the tab true to the shared tokens. */
import { STORAGE } from '../storage-keys'
import { forceLogOut } from './log-out'
import { type RefreshOutcome, refreshSession } from './refresh'
import { readTokens } from './tokens'

/** At the start: a refresh token without an access token is a session that only needs renewing. */
export async function resumeSession() {
  const { access, refresh } = readTokens()
  if (!access && refresh) await settle(await refreshSession(null))
}

/** Another tab has removed the access token: renew it, or log out if there is nothing to renew it with. */
export function watchTokens(): () => void {
  const onStorage = ({ key, newValue, oldValue }: StorageEvent) => {
    const accessRemoved = key === STORAGE.access && newValue === null && oldValue !== null
    // `localStorage.clear()` names no key.
    if (!accessRemoved && key !== null) return
    void (async () => {
      if (!readTokens().access) await settle(await refreshSession(null))
    })()
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}

async function settle(outcome: RefreshOutcome) {
  if (outcome === 'expired') await forceLogOut('session_ended')
  if (outcome === 'invalid_reply') await forceLogOut('refresh_reply')
}
