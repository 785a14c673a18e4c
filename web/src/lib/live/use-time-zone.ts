import { useQuery } from '@tanstack/react-query'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { liveQuery } from './live-query'

/** The time zone of a system's site, whose clock counts for whatever is said about it; the browser's until it is known. */
export function useTimeZone(sn: string | undefined): string | undefined {
  const { locale } = useT()
  const { data } = useQuery({
    ...liveQuery(locale),
    enabled: isAuthenticated(),
    // Never `undefined`: with the answer of another language in its place that would be computed for ever.
    select: ({ entries }) => (sn === undefined ? null : (entries[sn]?.time_zone ?? null)),
  })
  return data ?? undefined
}
