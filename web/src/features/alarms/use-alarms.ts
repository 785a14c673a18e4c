import { useQuery } from '@tanstack/react-query'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { alarmsQuery } from './data'
import { alarmsKey } from './model'

/** A page of alarms, refetched when one opens or closes. */
export function useAlarms(sn: string, page: number) {
  const { locale } = useT()
  const { data: live } = useLive()
  return useQuery(alarmsQuery({ sn, page, locale, open: alarmsKey(live, sn) }))
}
