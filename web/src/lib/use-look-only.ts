import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { systemsQuery } from './api/queries'

/**
 * Systems of a household whose owner lets this person look and nothing more. The server refuses every change of theirs,
 * so that no form should ask for one.
 */
export function useLookOnly() {
  const { data: systems } = useQuery(systemsQuery)
  return useMemo(() => {
    const looked = new Set(systems?.filter(({ access }) => access === 'look').map(({ sn }) => sn))
    return {
      looks: (sn: string) => looked.has(sn),
      /** There is nothing that they may change. */
      everywhere: looked.size > 0 && looked.size === systems?.length,
    }
  }, [systems])
}
