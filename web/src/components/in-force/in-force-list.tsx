import { Link } from '@tanstack/react-router'
import {
  BatteryCharging,
  CalendarClock,
  CloudDownload,
  Gauge,
  type LucideIcon,
  OctagonPause,
  Pause,
  Shield,
  UtilityPole,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { textLinkStyle } from '@/components/ui/text-link'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { type InForce, isQuiet, restrictionsOf } from './model'
import { useInForceText } from './use-in-force-text'

const ICONS: Record<string, LucideIcon> = {
  pause: Pause,
  charge: BatteryCharging,
  grid_limit: UtilityPole,
  reserve: Shield,
  plan: CalendarClock,
  calibration: Gauge,
  update: CloudDownload,
  brake: OctagonPause,
}

type Props = {
  /** Effects that have not ended yet. */
  list: readonly InForce[]
  timeZone: string
  /** Server time. */
  now: number
  /** The button that ends an effect, where the person may. */
  end: (one: InForce) => ReactNode
  /** The system whose update has a page of its own; electricians see it on the same page. */
  updateOf?: string
}

/** Lists what overrides the battery's settings: what, since when, by whom, and how to end it. */
export function InForceList({ list, timeZone, now, end, updateOf }: Props) {
  const { t } = useT()
  const { title, note } = useInForceText(timeZone, now)
  if (list.length === 0) return null
  const restrictions = new Set(restrictionsOf(list))
  return (
    <section aria-label={t('in_force.title')}>
      <ul className="grid gap-2">
        {list.map((one) => {
          const Icon = ICONS[one.kind] ?? Gauge
          return (
            <li
              key={`${one.sn ?? ''} ${one.kind}`}
              className={cn(
                'flex items-start gap-3 text-md',
                !isQuiet(one) && 'rounded-xl border px-3.5 py-2.5',
                restrictions.has(one) ? 'border-warn/40 bg-warn-bg' : 'border-grid/40 bg-info-bg',
                isQuiet(one) && 'bg-transparent px-1 text-sm text-muted',
              )}
            >
              <Icon
                aria-hidden
                className={cn(
                  'mt-0.5 size-4 shrink-0',
                  restrictions.has(one) ? 'text-warn' : 'text-grid-text',
                )}
              />
              {/* The button stays aligned with the text when it wraps below. */}
              <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3 gap-y-2">
                <div className="min-w-0 flex-1 basis-40">
                  {isQuiet(one) ? (
                    <p>{[one.sn, title(one)].filter(Boolean).join(': ')}</p>
                  ) : (
                    <>
                      <p className="font-medium">{title(one)}</p>
                      <p className="num text-sm">{note(one)}</p>
                    </>
                  )}
                </div>
                {one.kind === 'update' && updateOf !== undefined && (
                  <Link
                    to="/update"
                    search={{ sn: one.sn ?? updateOf }}
                    className={cn(textLinkStyle, 'min-h-9 content-center')}
                  >
                    {t('in_force.update.show')}
                  </Link>
                )}
                {one.end && end(one)}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
