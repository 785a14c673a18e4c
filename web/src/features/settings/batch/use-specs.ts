import { useQuery } from '@tanstack/react-query'
import { systemsQuery } from '@/lib/api/queries'
import { sampleQuery } from './api'
import { maySet } from './model'

/** What each field holds, so that its values can be written: the same for every system but for what it is rated for. */
export function useSpecs() {
  const { data: systems } = useQuery(systemsQuery)
  const first = systems?.find(maySet)
  const { data: sample } = useQuery(sampleQuery(first ? [first.sn] : []))
  return sample?.[0]?.fields
}
