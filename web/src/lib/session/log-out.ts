/** The end of a session: nothing of the person stays behind in this browser. */
import { FORM_TYPE, toForm } from '../api/form'
import { LOCAL_STORAGE_TIMEOUT } from '../constants'
import { forgetAnswers } from '../offline/keep-answers'
import { queryClient } from '../query-client'
import { DEVICE_SETTINGS_PREFIX, STORAGE } from '../storage-keys'
import { withTimeout } from '../with-timeout'
import { type LogoutNotice, leaveLogoutNotice } from './logout-notice'
import { page } from './page'
import { resetSessionStore, useSession } from './session-store'
import { clearTokens, readTokens } from './tokens'

/** Clears this browser, and tells the server without waiting for its answer. */
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
    forgetAnswers(),
    withTimeout(clearDataCaches(), LOCAL_STORAGE_TIMEOUT, undefined),
  ])
}

let leaving = false

/** Ends sessions on the server by `end`, then here. Calls that the server refuses meanwhile are no news to whoever asked for it. */
export async function logOutAfter(end: () => Promise<unknown>) {
  leaving = true
  try {
    await end()
    await logOut()
  } finally {
    leaving = false
  }
}

/** Logs out somebody who did not ask for it: the login page then says why. */
export async function forceLogOut(notice: LogoutNotice) {
  if (leaving) return
  leaveLogoutNotice(notice)
  await logOut()
  page.goTo('/logout')
}

/**
 * The refresh token ends the session when the access token has expired. `keepalive` lets the request outlive the page. Offline, the
 * session ends on the server by its own age.
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

/** The precache holds only the program; whatever else is cached may hold the person's data. */
async function clearDataCaches() {
  if (!('caches' in globalThis)) return
  const names = await caches.keys()
  await Promise.all(names.filter((name) => !name.includes('precache')).map((name) => caches.delete(name)))
}
