import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { systemsQuery } from '@/lib/data/systems'

/**
 * Systems of a household that this member may only look at. The server refuses their changes, so forms are
 * hidden.
 */
export function useLookOnly() {
  const { data: systems } = useQuery(systemsQuery)
  return useMemo(() => {
    const looked = new Set(systems?.filter(({ access }) => access === 'look').map(({ sn }) => sn))
    return {
      looks: (sn: string) => looked.has(sn),
      /** The member may change nothing. */
      everywhere: looked.size > 0 && looked.size === systems?.length,
    }
  }, [systems])
}
