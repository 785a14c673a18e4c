import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { selectable, useSelection } from '@/lib/selection'
import { readChartSearch, systemsOf, withSystem } from './model/choice'

/** A system's name in comparisons: its serial number, and its group or phase. */
export type SystemName = { name: string; more: string }

/** The systems in the address, and functions to add and remove one. */
export function useSystems() {
  const navigate = useNavigate()
  const search = readChartSearch(useSearch({ strict: false }))
  const { sn, serials } = useSelection()
  const choices = selectable(serials)
  const shown = sn === null ? [] : systemsOf(search, sn, choices)
  const toggle = (one: string) =>
    void navigate({ to: '.', search: withSystem(search, shown, one), resetScroll: false })
  return { shown, choices, toggle }
}

export function useSystemNames() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  return (sn: string): SystemName => {
    if (sn === ALL_SYSTEMS)
      return { name: t('selector.all'), more: t('top.systems', { count: systems?.length ?? 0 }) }
    const system = systems?.find((one) => one.sn === sn)
    const phase = system ? t('systems.phase', { phase: system.phase }) : ''
    return { name: sn, more: system?.group_name || phase }
  }
}
