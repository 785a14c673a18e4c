/** What the commissioning asks the server for and tells it. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { systemsQuery } from '@/lib/data/systems'
import { saveFile } from '@/lib/download'
import type { Locale } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { listen } from '@/lib/live/listeners'
import { useSkew } from '@/lib/live/use-live'
import { invalidate, queryClient } from '@/lib/query-client'
import { type Commissioning, holdUntil, type StepName } from './model'

export type Protocol = components['schemas']['ProtocolEntry']
export type ProtocolBody = components['schemas']['ProtocolBody']

/** Batteries come, take settings over and end tests by themselves: this often the screen asks how the steps stand. */
const POLL = 3_000

/** Reasons are in a language, so each language has an answer of its own. */
const openQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['commissioning', sn, locale],
    queryFn: () => unwrap(api.GET('/api/auth/commissioning/', { params: { query: { sn } } })),
  })

/** The commissioning of a system as it stands, and what can be done with it. */
export function useCommissioning(sn: string) {
  const { locale } = useT()
  const query = useQuery({ ...openQuery(sn, locale), refetchInterval: POLL })
  const { queryKey } = openQuery(sn, locale)
  useEffect(
    () =>
      listen((news) => {
        if (news === 'opened' || news.name !== 'data') void invalidate(openQuery(sn, locale))
      }),
    [sn, locale],
  )
  const take = (commissioning: Commissioning) =>
    queryClient.setQueryData(queryKey, { commissioning, candidates: [] })
  const id = query.data?.commissioning?.id ?? 0
  const params = { path: { id } }
  const begin = useMutation({
    mutationFn: (units: readonly string[]) =>
      unwrap(api.POST('/api/auth/commissioning/', { body: { sn: units.join() } })),
    onSuccess: take,
  })
  const step = async (name: StepName, fields: Record<string, string | boolean> = {}) => {
    const body = { ...fields, step: name } as components['schemas']['DoStep']
    take(await unwrap(api.POST('/api/auth/commissioning/{id}/step/', { params, body })))
    // It names the units.
    if (name === 'customer') await invalidate(systemsQuery)
  }
  const measure = useMutation({
    mutationFn: ({ phase, load }: { phase: number; load: boolean }) =>
      unwrap(
        api.POST('/api/auth/commissioning/{id}/phase/', {
          params,
          body: { phase: String(phase), load: String(load) },
        }),
      ),
    onSuccess: take,
  })
  const drop = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/auth/commissioning/{id}/', { params })),
    // The names of the units may be the old ones again.
    onSuccess: () => invalidate({ queryKey }, systemsQuery),
  })
  const finish = useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/commissioning/{id}/finish/', { params })),
    onSuccess: () => invalidate(allProtocols),
    // What was refused says which steps are open now.
    onError: () => invalidate({ queryKey }),
  })
  return { query, begin, step, measure, drop, finish }
}

export type Work = ReturnType<typeof useCommissioning>

/** Holds the batteries still for the phase test, or lets them work again. */
export function useHold(units: readonly string[]) {
  const skew = useSkew()
  return useMutation({
    mutationFn: async (hold: boolean) => {
      for (const sn of units) {
        const order = hold
          ? { command: 'hold', until: String(holdUntil(Date.now() + skew)) }
          : { command: 'auto' }
        await unwrap(api.POST('/api/auth/command/', { body: { ...order, sn, key: crypto.randomUUID() } }))
      }
      return hold
    },
  })
}

const allProtocols = { queryKey: ['protocols'] } as const

export const protocolsQuery = (sn: string) =>
  queryOptions({
    queryKey: [...allProtocols.queryKey, sn],
    queryFn: () => unwrap(api.GET('/api/auth/commissioning/protocol/', { params: { query: { sn } } })),
  })

const inAnyLanguage = (id: string) => ({ queryKey: ['protocol', id] })

export const protocolQuery = (id: string, locale: Locale) =>
  queryOptions({
    queryKey: [...inAnyLanguage(id).queryKey, locale],
    queryFn: () =>
      unwrap(
        api.GET('/api/auth/commissioning/protocol/{id}/', {
          params: { path: { id: id as unknown as number } },
        }),
      ),
    retry: false,
  })

/**
 * The PDF needs the session's token, so it is fetched and then handed to the browser.
 * @param code on a last page, for the customer
 */
export async function savePdf({ id, number }: Pick<Protocol, 'id' | 'number'>, code?: string) {
  const path = '/api/auth/commissioning/protocol/{id}/pdf/'
  const request = { params: { path: { id } }, parseAs: 'blob' } as const
  const file =
    code === undefined
      ? await unwrap(api.GET(path, request))
      : await unwrap(api.POST(path, { ...request, body: { code } }))
  saveFile(file as unknown as Blob, `suncellar-${number}.pdf`)
}

/** What an electrician can do with a protocol for the customer. */
export function useHandOver(id: number) {
  const params = { path: { id } }
  const refresh = () => invalidate(inAnyLanguage(String(id)))
  const path = '/api/auth/commissioning/protocol/{id}/customer_code/'
  const issue = useMutation({
    mutationFn: () => unwrap(api.POST(path, { params })),
    onSettled: refresh,
  })
  const withdraw = useMutation({
    mutationFn: () => unwrap(api.DELETE(path, { params })),
    onSuccess: issue.reset,
    onSettled: refresh,
  })
  const mail = (body: components['schemas']['MailProtocol']) =>
    unwrap(api.POST('/api/auth/commissioning/protocol/{id}/mail/', { params, body }))
  return { issue, withdraw, mail }
}
