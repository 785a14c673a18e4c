/** The calls of the update service. */
import { queryOptions } from '@tanstack/react-query'
import createClient from 'openapi-fetch'
import { unwrap } from '@/lib/api/client'
import type { components, paths } from '@/lib/api/schema'
import { withSession } from '@/lib/api/with-session'
import type { Locale } from '@/lib/i18n/locales'

type Schemas = components['schemas']
/** One part of a battery with its new version. */
export type PartUpdate = Schemas['UpdatePart']
export type PartName = PartUpdate['type']
export type UpdateStatus = Schemas['UpdateStatus']
export type JobState = PastUpdate['state']
export type Stage = NonNullable<UpdateStatus['stage']>
export type Fault = Schemas['UpdateError']
export type PastUpdate = Schemas['UpdateRecord']

function toMultipart(fields: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  return form
}

/** The portal serves it under its own origin. */
const service = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => globalThis.fetch(request),
  bodySerializer: (body: unknown) => toMultipart(Object(body)),
})
service.use(withSession)

const readStatus = (sn: string) => unwrap(service.GET('/api/v1/has_update', { params: { query: { sn } } }))

const readHistory = (sn: string) => unwrap(service.GET('/api/v1/history/', { params: { query: { sn } } }))

const sendUpdate = (sn: string, update: '0' | '1') =>
  unwrap(service.POST('/api/v1/update/', { body: { sn, update } }))

/** Repeating an open start returns the same answer and starts nothing new. */
export const startUpdate = (sn: string) => sendUpdate(sn, '1')

/** Refused once the battery has begun. */
export const withdrawUpdate = (sn: string) => sendUpdate(sn, '0')

/** Notes and faults are translated by the server, so the key contains the language. */
export const statusQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['update', sn, locale],
    queryFn: () => readStatus(sn),
    // Polled, so neither retries nor a cached status of an earlier visit are useful.
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })

export const historyQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['update-history', sn, locale],
    queryFn: () => readHistory(sn),
    staleTime: 0,
  })
