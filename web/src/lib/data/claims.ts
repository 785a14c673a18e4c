/** Serial numbers that wait for their main switch. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { invalidate } from '../query-client'
import { systemsQuery } from './systems'

export type Claim = components['schemas']['ClaimEntry']
export type KeyResult = components['schemas']['KeyResult']

/** Open claims. */
export const claimsQuery = queryOptions({
  queryKey: ['claims'],
  queryFn: () => unwrap(api.GET('/api/auth/usr_sn/claims/')),
})

/** Links systems at once, or begins claims, again if they have lapsed. */
export async function addKeys(keys: string) {
  const answer = await unwrap(api.POST('/api/auth/usr_sn/', { body: { keys } }))
  void invalidate(systemsQuery, claimsQuery)
  return answer.keys
}
