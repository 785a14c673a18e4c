import { Callout } from '@/components/ui/callout'
import { formatDateTime, joinQuantity, powerQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { SystemSettings } from '../model/fields'

/** The grid operator currently limits charging, which overrides all settings. */
export function GridLimit({ system, named }: { system: SystemSettings; named: boolean }) {
  const { t, locale } = useT()
  const { sn, grid_limit } = system
  const timeZone = useTimeZone(sn)
  if (!grid_limit) return null
  return (
    <Callout tone="warn" title={named ? `${sn}: ${t('settings.grid_limit')}` : t('settings.grid_limit')}>
      {t('settings.grid_limit.text', {
        limit: joinQuantity(powerQuantity(grid_limit.limit, locale)),
        since: formatDateTime(grid_limit.since, { locale, timeZone }),
      })}
    </Callout>
  )
}
