import { Link } from '@tanstack/react-router'
import { BellRing, CalendarClock, CalendarDays, ChartSpline, type LucideIcon } from 'lucide-react'
import { cn } from '@/lib/cn'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import type { LiveEntry } from '@/lib/live/live'

type Place = { to: '/calendar' | '/charts' | '/plan' | '/alarms'; label: MessageId; icon: LucideIcon }

const PLACES: readonly Place[] = [
  { to: '/calendar', label: 'calendar.title', icon: CalendarDays },
  { to: '/charts', label: 'charts.title', icon: ChartSpline },
  { to: '/plan', label: 'plan.title', icon: CalendarClock },
  { to: '/alarms', label: 'nav.alarms', icon: BellRing },
]

/** Links to pages that are in no menu. */
export function Shortcuts({ entry }: { entry: LiveEntry }) {
  const { t } = useT()
  // An entry that an older version has cached has no alarms.
  const alarms = entry.alarms?.length ?? 0
  return (
    <nav aria-label={t('nav.shortcuts')}>
      {/* In `em`: four columns, fewer if the text is enlarged. */}
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,5em),1fr))] gap-2 text-xs">
        {PLACES.map(({ to, label, icon: Icon }) => {
          const urgent = to === '/alarms' && alarms > 0
          return (
            <li key={to} className="grid min-w-0">
              <Link
                to={to}
                className={cn(
                  'grid min-h-16 content-center justify-items-center gap-1.5 rounded-xl border border-line bg-surface px-1 py-2 text-center font-medium text-muted transition-colors hover:border-line-strong hover:text-text lg:bg-surface-2',
                  urgent && 'border-warn/50 text-warn hover:text-warn',
                )}
              >
                <Icon aria-hidden className="size-4.5" />
                <span className="min-w-0 max-w-full leading-tight hyphens-auto wrap-break-word">
                  {urgent ? t('nav.alarms.count', { count: alarms }) : t(label)}
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
