import { useQuery } from '@tanstack/react-query'
import { systemsQuery } from '@/lib/data/systems'
import { sampleQuery } from './data'
import { maySet } from './model'

/** The specification of each field, to format its values. Only the maxima differ between systems. */
export function useSpecs() {
  const { data: systems } = useQuery(systemsQuery)
  const first = systems?.find(maySet)
  const { data: sample } = useQuery(sampleQuery(first ? [first.sn] : []))
  return sample?.[0]?.fields
}
