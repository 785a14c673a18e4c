import { useQuery } from '@tanstack/react-query'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { alarmsQuery } from './api'
import { openKey } from './model'

/** A page of the alarms of one system or of all, asked for again when one opens or closes. */
export function useAlarms(sn: string, page: number) {
  const { locale } = useT()
  const { data: live } = useLive()
  return useQuery(alarmsQuery({ sn, page, locale, open: openKey(live, sn) }))
}
