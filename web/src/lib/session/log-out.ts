/** Ends the session and deletes the person's data in this browser. */
import { FORM_TYPE, toForm } from '../api/form'
import { LOCAL_STORAGE_TIMEOUT } from '../constants'
import { clearOfflineCache } from '../offline/offline-cache'
import { queryClient } from '../query-client'
import { DEVICE_SETTINGS_PREFIX, STORAGE } from '../storage-keys'
import { withTimeout } from '../with-timeout'
import { type LogoutNotice, leaveLogoutNotice } from './logout-notice'
import { page } from './page'
import { resetSessionStore, useSession } from './session-store'
import { clearTokens, readTokens } from './tokens'

/** Clears this browser, and notifies the server without waiting for its answer. */
export async function logOut() {
  const { access, refresh } = readTokens()
  endSessionOnServer(access ?? useSession.getState().limitedAccess, refresh)
  const tokensGone = clearTokens()
  resetSessionStore()
  sessionStorage.clear()
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(DEVICE_SETTINGS_PREFIX)) localStorage.removeItem(key)
  }
  localStorage.removeItem(STORAGE.updateStarted)
  localStorage.removeItem(STORAGE.updates)
  queryClient.clear()
  await Promise.all([
    tokensGone,
    clearOfflineCache(),
    withTimeout(clearDataCaches(), LOCAL_STORAGE_TIMEOUT, undefined),
  ])
}

let leaving = false

/** Ends sessions on the server with `end`, then here. Refusals meanwhile do not force a logout. */
export async function logOutAfter(end: () => Promise<unknown>) {
  leaving = true
  try {
    await end()
    await logOut()
  } finally {
    leaving = false
  }
}

/** A logout that the person did not ask for: the login page shows the reason. */
export async function forceLogOut(notice: LogoutNotice) {
  if (leaving) return
  leaveLogoutNotice(notice)
  await logOut()
  page.goTo('/logout')
}

/**
 * The refresh token identifies the session when the access token has expired. `keepalive` lets the request
 * outlive the page. Offline, the session expires on the server.
 */
function endSessionOnServer(access: string | null, refresh: string | null) {
  if (!access && !refresh) return
  fetch(new URL('/api/auth/logout/', location.origin), {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE, ...(access && { Authorization: `Bearer ${access}` }) },
    body: toForm(refresh ? { refresh } : {}),
    keepalive: true,
  }).catch(() => undefined)
}

/** Keeps the precache, which contains only the program; other caches may contain personal data. */
async function clearDataCaches() {
  if (!('caches' in globalThis)) return
  const names = await caches.keys()
  await Promise.all(names.filter((name) => !name.includes('precache')).map((name) => caches.delete(name)))
}
