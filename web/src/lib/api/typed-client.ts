/** Calls that an OpenAPI document describes: the types of openapi-fetch, and the little of it that our two services need. */
import type { Client } from 'openapi-fetch'
import { FORM_TYPE } from './form'
import { sendWithSession } from './with-session'

type Values = Record<string, unknown>
type Call = { params?: { path?: Values; query?: Values }; body?: object; parseAs?: 'json' | 'blob' }

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/** @param encode a body as this service reads it */
export function createClient<Paths extends object>(
  encode: (fields: object) => BodyInit,
): Pick<Client<Paths>, Method> {
  const caller =
    (method: Method) =>
    async (path: string, { params = {}, body, parseAs = 'json' }: Call = {}) => {
      const request = new Request(addressOf(path, params), { method, body: body ? encode(body) : null })
      // Otherwise the browser adds a charset, which this type does not have.
      if (request.headers.get('Content-Type')?.startsWith(FORM_TYPE))
        request.headers.set('Content-Type', FORM_TYPE)
      const response = await sendWithSession(request, path)
      if (!response.ok) return { response, error: await readError(response) }
      return { response, data: parseAs === 'blob' ? await response.blob() : await readJson(response) }
    }
  return Object.fromEntries(METHODS.map((method) => [method, caller(method)])) as Pick<Client<Paths>, Method>
}

/** `/api/{id}/` with its values filled in; what has no value stays away from the query. */
export function addressOf(path: string, { path: parts = {}, query = {} }: Call['params'] & object): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])))
  const address = new URL(filled, location.origin)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) address.searchParams.set(name, String(value))
  return address
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  return text ? JSON.parse(text) : undefined
}

/** A proxy answers with a page of its own. */
async function readError(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
