/** The door to the portal: typed by its OpenAPI document, form-encoded, with the session's token. */
import { apiError, networkError } from './errors'
import { toForm } from './form'
import type { paths } from './schema'
import { createClient } from './typed-client'

export const api = createClient<paths>(toForm)

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
