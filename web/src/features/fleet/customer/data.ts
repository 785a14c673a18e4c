/** Requests for the customer card: the company's note and photos. */
import { queryOptions } from '@tanstack/react-query'
import createClient from 'openapi-fetch'
import { api, unwrap } from '@/lib/api/client'
import type { components, paths } from '@/lib/api/schema'
import { withSession } from '@/lib/api/with-session'
import { invalidate, queryClient } from '@/lib/query-client'

export type Customer = components['schemas']['CustomerEntry']
export type Photo = Customer['photos'][number]

/** The server's limit. */
export const MAX_PHOTOS = 12
/** The server's limit in characters. */
export const NOTE_MAX = 2_000

export const customerQuery = (sn: string) =>
  queryOptions({
    queryKey: ['customer', sn],
    queryFn: () => unwrap(api.GET('/api/auth/system/{sn}/customer/', { params: { path: { sn } } })),
  })

/** Every change returns the whole card, which is cached. */
async function cacheCard(sn: string, card: Promise<Customer>) {
  queryClient.setQueryData(customerQuery(sn).queryKey, await card)
}

type Note = { note: string /** When the text that the writer has read was changed. */; known: number | null }

export const saveNote = (sn: string, { note, known }: Note) => {
  const body = { note, changed_at: known === null ? undefined : String(known) }
  return cacheCard(
    sn,
    unwrap(api.POST('/api/auth/system/{sn}/customer/', { params: { path: { sn } }, body })),
  )
}

/** A client that sends bytes instead of forms. */
const photos = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => globalThis.fetch(request),
  bodySerializer: (body: unknown) => body as Blob,
})
photos.use(withSession)

export const addPhoto = (sn: string, jpeg: Blob) =>
  cacheCard(
    sn,
    unwrap(
      photos.POST('/api/auth/system/{sn}/customer/photo/', {
        params: { path: { sn } },
        body: jpeg as unknown as string,
        headers: { 'Content-Type': 'image/jpeg' },
      }),
    ),
  )

export async function deletePhoto(sn: string, id: number) {
  await unwrap(api.DELETE('/api/auth/system/{sn}/customer/photo/{id}/', { params: { path: { sn, id } } }))
  await invalidate(customerQuery(sn))
}

/** The CSP allows only data URLs here. */
const dataUrl = (file: Blob) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

export const photoQuery = (sn: string, id: number) =>
  queryOptions({
    queryKey: ['customer-photo', sn, id],
    queryFn: async () => {
      const params = { path: { sn, id } }
      const file = await unwrap(
        api.GET('/api/auth/system/{sn}/customer/photo/{id}/', { params, parseAs: 'blob' }),
      )
      return dataUrl(file as unknown as Blob)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
