/** The API client: typed by the OpenAPI document, form-encoded, with the session's token. */
import createClient, { type Middleware } from 'openapi-fetch'
import { apiError, networkError } from './errors'
import { FORM_TYPE, toForm } from './form'
import type { paths } from './schema'
import { withSession } from './with-session'

const formEncoded: Middleware = {
  onRequest({ request }) {
    if (request.headers.has('Content-Type')) request.headers.set('Content-Type', FORM_TYPE)
  },
}

export const api = createClient<paths>({
  baseUrl: location.origin,
  // Looked up on every call, so that tests can replace it.
  fetch: (request) => globalThis.fetch(request),
  bodySerializer: (body: unknown) => toForm(Object(body)),
})
api.use(formEncoded, withSession)

type Answer = { response: Response; data?: unknown; error?: unknown }
/** The answer's data, or undefined for calls without a body. */
type Data<A extends Answer> = [Exclude<A['data'], undefined>] extends [never]
  ? undefined
  : Exclude<A['data'], undefined>

/** `await unwrap(api.GET('/api/auth/usr_sn/'))` returns the data or throws an ApiError. */
export async function unwrap<A extends Answer>(pending: Promise<A>): Promise<Data<A>> {
  const { data, error, response } = await pending.catch(() => {
    throw networkError()
  })
  if (!response.ok) throw apiError(response, error)
  return data as Data<A>
}
