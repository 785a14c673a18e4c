/** The calls of the update service. */
import { queryOptions } from '@tanstack/react-query'
import createClient from 'openapi-fetch'
import { unwrap } from '@/lib/api/client'
import type { components, paths } from '@/lib/api/schema'
import { withSession } from '@/lib/api/with-session'
import { systemsQuery } from '@/lib/data/systems'
import type { Locale } from '@/lib/i18n/locales'
import { allLive } from '@/lib/live/live-query'
import { invalidate } from '@/lib/query-client'

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
export async function startUpdate(sn: string) {
  const answer = await sendUpdate(sn, '1')
  void invalidate(allHistories)
  return answer
}

/** Refused once the battery has begun. */
export async function withdrawUpdate(sn: string) {
  await sendUpdate(sn, '0')
  void invalidate(allHistories, allLive)
}

/** The status of a system, in any language. */
export const statusesOf = (sn: string) => ({ queryKey: ['update', sn] })
const allHistories = { queryKey: ['update-history'] } as const

/** After a part arrived: other versions, and a line in the history. */
export const readVersionsAgain = () => invalidate(systemsQuery, allHistories)

/** Notes and faults are translated by the server, so the key contains the language. */
export const statusQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: [...statusesOf(sn).queryKey, locale],
    queryFn: () => readStatus(sn),
    // Polled, so neither retries nor a cached status of an earlier visit are useful.
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })

export const historyQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: [...allHistories.queryKey, sn, locale],
    queryFn: () => readHistory(sn),
    staleTime: 0,
  })
