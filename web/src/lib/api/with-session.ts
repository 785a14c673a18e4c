/** What every call of a session carries, to the portal and to the update service, and what a refusal of its token leads to. */
import type { Middleware } from 'openapi-fetch'
import { i18n } from '../i18n/i18n'
import { storedLocale } from '../i18n/locales'
import { forceLogOut } from '../session/log-out'
import { page } from '../session/page'
import { refreshSession } from '../session/refresh'
import { useSession } from '../session/session-store'
import { readTokens } from '../session/tokens'

/** Here a 401 speaks of the password or the refresh token that was sent, not of the access token. */
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
    // The operator asks for a second factor, and nothing else is opened before.
    if (response.status === 403 && (await response.clone().text()).includes('totp_enrol')) page.goTo('/enrol')
    if (response.status !== 401 || !refused || CREDENTIAL_CALLS.has(schemaPath)) return
    // Whoever has logged out while this was under way is on the login page already.
    if (!hasSession()) return
    const outcome = await refreshSession(refused)
    // No answer says nothing about the session: the tokens stay and the caller hears of the first refusal.
    if (outcome === 'unreachable') return
    if (outcome !== 'renewed') {
      await forceLogOut(outcome === 'invalid_reply' ? 'refresh_reply' : 'session_ended')
      return
    }
    reloadOncePerSession()
    // Only what changes nothing is sent again. A form comes back refused, and the person sends it once more.
    if (request.method === 'GET') return repeat(request)
  },
}

/** After the first renewal everything on screen is built anew, later ones go unnoticed. */
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
