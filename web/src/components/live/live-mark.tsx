import { CloudOff } from 'lucide-react'
import { formatDateTime, formatTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { siteDayOf } from '@/lib/site-day'
import type { Freshness, Reading } from './model/reading'
import { silentOf } from './model/status-warnings'

/** "14:20", or with its date when that is not today. */
export function useClockText(timeZone: string, now: number) {
  const { locale } = useT()
  return (at: number) =>
    siteDayOf(at, timeZone) === siteDayOf(now, timeZone)
      ? formatTime(at, { locale, timeZone })
      : formatDateTime(at, { locale, timeZone })
}

/** Space is limited: the other silent systems are listed with the messages. */
const MAX_NAMED = 3

type Props = { reading: Reading; freshness: Freshness; now: number }

/** The age of the values: live, or the time of the last ones. */
export function LiveMark({ reading, freshness, now }: Props) {
  const { t } = useT()
  const clock = useClockText(reading.timeZone, now)
  const { at, together } = reading
  const live = freshness === 'live'
  // If no system reports, none is listed as missing.
  const silent = together?.reporting ? silentOf(reading, now).slice(0, MAX_NAMED) : []
  const partly = together && together.reporting < together.systems
  return (
    <div className="num shrink-0 text-right text-xs text-muted">
      <p className="flex items-center justify-end gap-2">
        {live ? (
          <span aria-hidden className="size-2 rounded-full bg-ok" />
        ) : (
          <CloudOff aria-hidden className="size-3.5" />
        )}
        {at === null ? t('live.no_data') : t(live ? 'live.now' : 'live.as_of', { time: clock(at) })}
      </p>
      {partly && (
        <p className="mt-0.5 font-medium text-warn">
          {t('systems.reporting', together)}
          {silent.length > 0 && (
            <span className="ml-auto block max-w-[16ch]">
              {t('systems.without', { serials: silent.join(', ') })}
            </span>
          )}
        </p>
      )}
    </div>
  )
}
