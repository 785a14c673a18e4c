import { CalendarClock, Coins, House, type LucideIcon, SunMedium } from 'lucide-react'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { type CalendarDay, isMeasured } from '../model/day'
import type { CalendarMonth } from '../use-month'
import type { DayText } from './use-day-text'

type Props = { day: CalendarDay; calendar: CalendarMonth; text: DayText }

/** The content of a day. Where it is narrow, only its number and its self-sufficiency. */
export function DayTile({ day, calendar: { waiting, withMoney }, text }: Props) {
  const { t } = useT()
  const known = !waiting && isMeasured(day)
  return (
    <>
      <span className="flex flex-wrap items-center justify-between gap-x-1">
        <span
          className={cn(
            'num grid h-6 min-w-6 place-items-center text-sm',
            day.today ? 'rounded-full bg-accent px-1 font-semibold text-on-accent' : 'text-muted',
          )}
        >
          {Number(day.day.slice(8))}
        </span>
        {known && (
          <span className="num text-sm font-semibold md:text-lg">
            {/* On a phone the legend shows the unit. */}
            <span className="md:hidden">{text.share(day.selfSufficiency)}</span>
            <span className="max-md:hidden">{text.percent(day.selfSufficiency)}</span>
          </span>
        )}
      </span>
      {waiting && !day.ahead && <Skeleton key="waiting" className="mt-auto h-4 md:h-16" />}
      {!waiting && !known && !day.ahead && (
        <span className="mt-auto text-xs text-muted max-md:hidden">{t('calendar.no_values')}</span>
      )}
      {day.planned.map((what) => (
        <span key={what} className="mt-1 flex items-center gap-1.5 text-xs font-medium text-grid-text">
          <CalendarClock aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 hyphens-auto wrap-anywhere max-md:hidden">
            {t(`calendar.planned.${what}`)}
          </span>
        </span>
      ))}
      {known && (
        <>
          <span className="mt-auto grid gap-0.5 pt-1 max-md:hidden">
            <Line
              icon={SunMedium}
              colour="text-pv"
              label={t('calendar.pv')}
              value={text.energy(day.energies.pv)}
            />
            <Line
              icon={House}
              colour="text-home"
              label={t('calendar.consumption')}
              value={text.energy(day.consumed)}
            />
            {withMoney && day.money.actual !== null && (
              <Line
                icon={Coins}
                colour="text-muted"
                label={text.outcome(day.money.actual)}
                value={text.amount(day.money.actual)}
                spoken
              />
            )}
          </span>
          <Meter percent={day.selfSufficiency} />
        </>
      )}
    </>
  )
}

type LineProps = {
  icon: LucideIcon
  colour: string
  label: string
  value: string
  /** The word is required: the icon alone does not show the direction of the money. */
  spoken?: boolean
}

/**
 * Shows icon or word if there is no room for both. Only the width decides, not the value, so that all rows of
 * a month have the same height.
 */
function Line({ icon: Icon, colour, label, value, spoken = false }: LineProps) {
  return (
    <span className="num flex items-center gap-1.5 text-xs">
      <Icon aria-hidden className={cn('size-3.5 shrink-0', colour, spoken && 'max-[87.5rem]:hidden')} />
      <span className="@container min-w-0 flex-1">
        <span
          className={cn(
            'flex justify-between gap-x-1 whitespace-nowrap',
            spoken && 'flex-col @min-[9em]:flex-row',
          )}
        >
          <span className={cn('text-muted', !spoken && 'hidden @min-[10em]:inline')}>{label}</span>
          <span>{value}</span>
        </span>
      </span>
    </span>
  )
}

/** The share as a bar, because shades alone are hard to tell apart. */
function Meter({ percent }: { percent: number | null }) {
  return (
    <svg aria-hidden className="mt-auto block h-1 w-full rounded-full bg-surface-2 md:mt-2">
      <rect width={`${percent ?? 0}%`} height="100%" rx="2" fill="var(--battery)" />
    </svg>
  )
}
