/**
 * Middleware for every call of a session, to portal and update service: adds the token, and handles its
 * refusal.
 */
import type { Middleware } from 'openapi-fetch'
import { i18n } from '../i18n/i18n'
import { storedLocale } from '../i18n/locales'
import { forceLogOut } from '../session/log-out'
import { page } from '../session/page'
import { refreshSession } from '../session/refresh'
import { useSession } from '../session/session-store'
import { readTokens } from '../session/tokens'

/** For these calls a 401 is about the password or refresh token, not the access token. */
const CREDENTIAL_CALLS = new Set(['/api/auth/token/', '/api/auth/token/passkey/', '/api/auth/token/refresh/'])

const bearerOf = (request: Request) => request.headers.get('Authorization')?.replace('Bearer ', '') ?? null

function hasSession(): boolean {
  const { access, refresh } = readTokens()
  return Boolean(access ?? refresh ?? useSession.getState().limitedAccess)
}

export const withSession: Middleware = {
  onRequest({ request, schemaPath }) {
    request.headers.set('Accept-Language', i18n.locale || storedLocale())
    const access = readTokens().access ?? useSession.getState().limitedAccess
    if (access && !CREDENTIAL_CALLS.has(schemaPath)) request.headers.set('Authorization', `Bearer ${access}`)
  },

  async onResponse({ request, response, schemaPath }) {
    const refused = bearerOf(request)
    // The operator requires a second factor before anything else.
    if (response.status === 403 && (await response.clone().text()).includes('totp_enrol')) page.goTo('/enrol')
    if (response.status !== 401 || !refused || CREDENTIAL_CALLS.has(schemaPath)) return
    // After a logout the page is already leaving.
    if (!hasSession()) return
    const outcome = await refreshSession(refused)
    // Without an answer the session is undecided: the tokens stay, and the caller gets the first refusal.
    if (outcome === 'unreachable') return
    if (outcome !== 'renewed') {
      await forceLogOut(outcome === 'invalid_reply' ? 'refresh_reply' : 'session_ended')
      return
    }
    reloadOncePerSession()
    // Only calls without side effects are repeated. A form shows the error, and the person submits it again.
    if (request.method === 'GET') return repeat(request)
  },
}

/** The first renewal reloads the page, later ones are silent. */
function reloadOncePerSession() {
  if (useSession.getState().reloaded) return
  useSession.setState({ reloaded: true })
  page.reload()
}

function repeat(request: Request): Promise<Response> {
  const again = new Request(request)
  again.headers.set('Authorization', `Bearer ${readTokens().access}`)
  return fetch(again)
}
