import { BatteryCharging, CalendarClock } from 'lucide-react'
import { cn } from '@/lib/cn'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { boundsOf, LEVELS } from '../model/day'
import type { Windows } from '../model/windows'
import { SHADES } from './shade'

/** The legend of the grid, and what applies to every day. */
export function Legend({ windows }: { windows: readonly Windows[] }) {
  const { t, locale } = useT()
  return (
    <section aria-label={t('calendar.legend')} className="flex flex-wrap gap-x-8 gap-y-3 text-sm text-muted">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p>{t('today.self_sufficiency')}</p>
        <ul className="flex flex-wrap gap-x-3 gap-y-2">
          {LEVELS.map((level) => {
            const { low, high } = boundsOf(level)
            return (
              <li key={level} className="num flex items-center gap-1.5">
                <span aria-hidden className={cn('size-4 rounded border border-line', SHADES[level])} />
                {t('calendar.legend.range', { low, high: joinQuantity(percentQuantity(high, locale)) })}
              </li>
            )
          })}
        </ul>
      </div>
      <p className="flex items-start gap-1.5">
        <CalendarClock aria-hidden className="mt-0.5 size-4 shrink-0 text-grid-text" />
        <span className="min-w-0">{t('calendar.legend.planned')}</span>
      </p>
      {windows.map((one) => (
        <EveryDay key={one.serials.join()} windows={one} />
      ))}
    </section>
  )
}

function EveryDay({ windows: { serials, charge, discharge } }: { windows: Windows }) {
  const { t } = useT()
  const times = [
    ...(charge ? [t('calendar.windows.charge', charge)] : []),
    ...(discharge ? [t('calendar.windows.discharge', discharge)] : []),
  ]
  const whose = serials.length > 0 ? `${serials.join(', ')} · ` : ''
  return (
    <p className="num flex items-start gap-1.5">
      <BatteryCharging aria-hidden className="mt-0.5 size-4 shrink-0 text-battery-text" />
      <span className="min-w-0">{`${whose}${t('calendar.windows')} ${times.join(', ')}`}</span>
    </p>
  )
}
