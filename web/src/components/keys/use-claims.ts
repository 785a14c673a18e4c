import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { claimsQuery, systemsQuery } from '@/lib/api/queries'
import { CLAIM_POLL } from '@/lib/constants'

/** Open claims, polled until none of them can change any more. */
export function useClaims() {
  const queries = useQueryClient()
  const claims = useQuery({
    ...claimsQuery,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status !== 'lapsed') ? CLAIM_POLL : false,
  })
  // A claim that has left the list has become a system.
  const listed = claims.data?.map(({ sn }) => sn).join()
  useEffect(() => {
    if (listed !== undefined) void queries.invalidateQueries({ queryKey: systemsQuery.queryKey })
  }, [listed, queries])
  return claims
}
