import { useQuery } from '@tanstack/react-query'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { liveQuery } from './live-query'

/** The time zone of a system's site, used for all of its times; the browser's until it is known. */
export function useTimeZone(sn: string | undefined): string | undefined {
  const { locale } = useT()
  const { data } = useQuery({
    ...liveQuery(locale),
    enabled: isAuthenticated(),
    // Null instead of `undefined`: with placeholder data of another language `undefined` would be selected
    // again endlessly.
    select: ({ entries }) => (sn === undefined ? null : (entries[sn]?.time_zone ?? null)),
  })
  return data ?? undefined
}
