import { useQuery } from '@tanstack/react-query'
import { systemsQuery } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import type { SystemName } from './components/panel-heading'

/** What a system is called beside others: its serial number, and its group or phase. */
export function useSystemNames() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  return (sn: string): SystemName => {
    if (sn === ALL_SYSTEMS)
      return { name: t('selector.all'), more: t('top.systems', { count: systems?.length ?? 0 }) }
    const system = systems?.find((one) => one.sn === sn)
    return {
      name: sn,
      more: system?.group_name || (system ? t('systems.phase', { phase: system.phase }) : ''),
    }
  }
}
