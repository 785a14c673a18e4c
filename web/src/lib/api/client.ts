/** The one door to the server: typed by its OpenAPI document, form-encoded, with the session's token. */
import createClient, { type Middleware } from 'openapi-fetch'
import { i18n } from '../i18n/i18n'
import { DEFAULT_LOCALE } from '../i18n/locales'
import { forceLogOut } from '../session/log-out'
import { page } from '../session/page'
import { refreshSession } from '../session/refresh'
import { useSession } from '../session/session-store'
import { readTokens } from '../session/tokens'
import { apiError, networkError } from './errors'
import { FORM_TYPE, toForm } from './form'
import type { paths } from './schema'

/** Here a 401 speaks of the password or the refresh token that was sent, not of the access token. */
const CREDENTIAL_CALLS = new Set(['/api/auth/token/', '/api/auth/token/refresh/'])

const bearerOf = (request: Request) => request.headers.get('Authorization')?.replace('Bearer ', '') ?? null

const session: Middleware = {
  onRequest({ request, schemaPath }) {
    request.headers.set('Accept-Language', i18n.locale || DEFAULT_LOCALE)
    if (request.headers.has('Content-Type')) request.headers.set('Content-Type', FORM_TYPE)
    const access = readTokens().access ?? useSession.getState().limitedAccess
    if (access && !CREDENTIAL_CALLS.has(schemaPath)) request.headers.set('Authorization', `Bearer ${access}`)
  },

  async onResponse({ request, response, schemaPath }) {
    const refused = bearerOf(request)
    if (response.status !== 401 || !refused || CREDENTIAL_CALLS.has(schemaPath)) return
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

export const api = createClient<paths>({
  baseUrl: location.origin,
  // Looked up on every call, so that a test can stand in for the network.
  fetch: (request) => globalThis.fetch(request),
  bodySerializer: (body: unknown) => toForm(Object(body)),
})
api.use(session)

type Answer = { response: Response; data?: unknown; error?: unknown }
/** What came, or undefined for calls that answer with nothing. */
type Data<A extends Answer> = [Exclude<A['data'], undefined>] extends [never]
  ? undefined
  : Exclude<A['data'], undefined>

/** `await unwrap(api.GET('/api/auth/usr_sn/'))`: the data, or an ApiError thrown. */
export async function unwrap<A extends Answer>(pending: Promise<A>): Promise<Data<A>> {
  const { data, error, response } = await pending.catch(() => {
    throw networkError()
  })
  if (!response.ok) throw apiError(response, error)
  return data as Data<A>
}
