/** What is done to grants. Whatever it was, the lists that show it are asked for anew. */
import { api, unwrap } from '@/lib/api/client'
import { grantsQuery } from '@/lib/api/grants'
import { systemsQuery } from '@/lib/api/queries'
import { queryClient } from '@/lib/query-client'

export type Invitation = { sn: string; email: string; scope: string; until?: string; password: string }

/** A grant that begins or ends is another list of systems, and other live data. */
async function andReadAnew<T>(deed: Promise<T>): Promise<T> {
  const answer = await deed
  const changed = [grantsQuery.queryKey, systemsQuery.queryKey, ['live']]
  await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  return answer
}

export const invite = (body: Invitation) => andReadAnew(unwrap(api.POST('/api/auth/grant/', { body })))

/** Approves, confirms, renews or changes, by the state in which it is. */
export const changeGrant = (id: number, body: { scope?: string; until?: string; password?: string } = {}) =>
  andReadAnew(unwrap(api.PATCH('/api/auth/grant/{id}/', { params: { path: { id } }, body })))

/** Refuses, withdraws, declines, gives up or ends, by the state and by who asks. */
export const endGrant = (id: number) =>
  andReadAnew(unwrap(api.DELETE('/api/auth/grant/{id}/', { params: { path: { id } } })))

export const acceptGrant = (id: number) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/{id}/accept/', { params: { path: { id } } })))

export const askForGrant = (body: { sn: string; scope: string }) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/request/', { body })))

export const redeemInstallerCode = (code: string) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/code/', { body: { code } })))

export const handOver = (body: { sn: string; email: string; password: string }) =>
  andReadAnew(unwrap(api.POST('/api/auth/grant/handover/', { body })))

export const withdrawHandover = (id: number) =>
  andReadAnew(unwrap(api.DELETE('/api/auth/grant/handover/{id}/', { params: { path: { id } } })))
