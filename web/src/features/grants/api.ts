/** What is done to grants. Whatever it was, the lists that show it are asked for anew. */
import { api, unwrap } from '@/lib/api/client'
import { grantsQuery } from '@/lib/api/grants'
import { systemsQuery } from '@/lib/api/queries'
import { queryClient } from '@/lib/query-client'

export type Invitation = {
  sn: string
  email: string
  scope: string
  until?: string
  contact?: boolean
  password: string
}

/** A grant that begins or ends is another list of systems, and other live data. */
async function andReadAnew<T>(deed: Promise<T>): Promise<T> {
  const answer = await deed
  const changed = [grantsQuery.queryKey, systemsQuery.queryKey, ['live']]
  await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  return answer
}

export const invite = (body: Invitation) => andReadAnew(unwrap(api.POST('/api/auth/grant/', { body })))

type Terms = { scope?: string; until?: string; contact?: boolean; household?: boolean; password?: string }

/** Approves, confirms, renews or changes, by the state in which it is. */
export const changeGrant = (id: number, body: Terms = {}) =>
  andReadAnew(unwrap(api.PATCH('/api/auth/grant/{id}/', { params: { path: { id } }, body })))

/** Refuses, withdraws, declines, gives up or ends, by the state and by who asks. */
export const endGrants = (ids: readonly number[]) =>
  andReadAnew(
    (async () => {
      for (const id of ids) await unwrap(api.DELETE('/api/auth/grant/{id}/', { params: { path: { id } } }))
    })(),
  )

/** With `household`, all that the same owner has sent. */
export const acceptGrant = (id: number, household: boolean) =>
  andReadAnew(
    unwrap(
      api.POST('/api/auth/grant/{id}/accept/', {
        params: { path: { id }, query: household ? { household } : {} },
      }),
    ),
  )

export const redeemInstallerCode = (code: string) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/code/', { body: { code } })))

export const handOver = (body: { sn: string; email: string; password: string }) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/handover/', { body })))

export const withdrawHandover = (id: number) =>
  andReadAnew(unwrap(api.DELETE('/api/auth/grant/handover/{id}/', { params: { path: { id } } })))
