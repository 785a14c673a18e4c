/** Requests that change grants; each invalidates the queries that show them. */
import { api, unwrap } from '@/lib/api/client'
import { grantsQuery } from '@/lib/data/grants'
import { systemsQuery } from '@/lib/data/systems'
import { allLive } from '@/lib/live/live-query'
import { invalidate } from '@/lib/query-client'

export type Invitation = {
  sn: string
  email: string
  scope: string
  until?: string
  contact?: boolean
  password: string
}

/** A grant that begins or ends also changes the list of systems and the live data. */
async function thenInvalidate<T>(request: Promise<T>): Promise<T> {
  const answer = await request
  await invalidate(grantsQuery, systemsQuery, allLive)
  return answer
}

export const invite = (body: Invitation) => thenInvalidate(unwrap(api.POST('/api/auth/grant/', { body })))

type Terms = { scope?: string; until?: string; contact?: boolean; household?: boolean; password?: string }

/** Approves, confirms, changes or renews, depending on the grant's state. */
export const changeGrant = (id: number, body: Terms = {}) =>
  thenInvalidate(unwrap(api.PATCH('/api/auth/grant/{id}/', { params: { path: { id } }, body })))

/** Refuses, withdraws, declines, gives up or ends, depending on the state and the caller. */
export const endGrants = (ids: readonly number[]) =>
  thenInvalidate(
    (async () => {
      for (const id of ids) await unwrap(api.DELETE('/api/auth/grant/{id}/', { params: { path: { id } } }))
    })(),
  )

/** With `household`, accepts all invitations of the same owner. */
export const acceptGrant = (id: number, household: boolean) =>
  thenInvalidate(
    unwrap(
      api.POST('/api/auth/grant/{id}/accept/', {
        params: { path: { id }, query: household ? { household } : {} },
      }),
    ),
  )

export const redeemInstallerCode = (code: string) =>
  thenInvalidate(unwrap(api.POST('/api/auth/grant/code/', { body: { code } })))

export const handOver = (body: { sn: string; email: string; password: string }) =>
  thenInvalidate(unwrap(api.POST('/api/auth/grant/handover/', { body })))

export const withdrawHandover = (id: number) =>
  thenInvalidate(unwrap(api.DELETE('/api/auth/grant/handover/{id}/', { params: { path: { id } } })))
