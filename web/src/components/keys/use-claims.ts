import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CLAIM_POLL } from '@/lib/constants'
import { claimsQuery } from '@/lib/data/claims'
import { systemsQuery } from '@/lib/data/systems'
import { invalidate } from '@/lib/query-client'

/** Open claims, polled until none of them can change any more. */
export function useClaims() {
  const claims = useQuery({
    ...claimsQuery,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status !== 'lapsed') ? CLAIM_POLL : false,
  })
  // A claim that has left the list has become a system.
  const listed = claims.data?.map(({ sn }) => sn).join()
  useEffect(() => {
    if (listed !== undefined) void invalidate(systemsQuery)
  }, [listed])
  return claims
}
