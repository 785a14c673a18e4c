/** What the account page changes besides the account itself: linked systems, and partner apps. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { systemsQuery } from '@/lib/data/systems'
import { invalidate } from '@/lib/query-client'

export type Consent = components['schemas']['ConsentEntry']

/** Partner apps with access to the owner's systems. */
export const consentsQuery = queryOptions({
  queryKey: ['consents'],
  queryFn: () => unwrap(api.GET('/api/auth/partner/')),
})

export async function endConsent(id: number) {
  await unwrap(api.DELETE('/api/auth/partner/{id}/', { params: { path: { id } } }))
  void invalidate(consentsQuery)
}

export async function unlinkSystem(sn: string, body: { password: string }) {
  await unwrap(api.DELETE('/api/auth/usr_sn/{sn}/', { params: { path: { sn } }, body }))
  void invalidate(systemsQuery)
}
