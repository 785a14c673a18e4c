/** The exchange of a unit for a new one, which takes its place everywhere. */
import type { QueryKey } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import { claimsQuery } from '@/lib/data/claims'
import { systemsQuery } from '@/lib/data/systems'
import { invalidate, queryClient } from '@/lib/query-client'
import { normaliseKey } from '@/lib/validation/key'

const send = (sn: string, key: string, dry_run: boolean) =>
  unwrap(
    api.POST('/api/auth/system/{sn}/replace/', {
      params: { path: { sn } },
      body: { key: normaliseKey(key), dry_run },
    }),
  )

/** What the key names, without changing anything. */
export const tryReplacement = (sn: string, key: string) => send(sn, key, true)

/** The new unit may have to show its main switch first: then it is a claim. */
export async function replaceUnit(sn: string, key: string) {
  const answer = await send(sn, key, false)
  if (answer.status !== 'replaced') await invalidate(claimsQuery)
  return answer
}

/** @param go opens the page of the new unit */
export async function showReplacement(sn: string, go: () => unknown) {
  await invalidate(systemsQuery)
  await go()
  // Queries under the old serial number can never be answered again.
  const ofOld = ({ queryKey }: { queryKey: QueryKey }) => JSON.stringify(queryKey).includes(sn)
  queryClient.removeQueries({ predicate: ofOld, type: 'inactive' })
  void queryClient.invalidateQueries({ predicate: (query) => !ofOld(query) })
}
