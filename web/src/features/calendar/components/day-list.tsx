import { Link } from '@tanstack/react-router'
import { CalendarClock, ChevronRight } from 'lucide-react'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { formatTick } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { utcOf } from '@/lib/site-day'
import { type CalendarDay, isMeasured, levelOf } from '../model/day'
import type { CalendarMonth } from '../use-month'
import { SHADES } from './shade'
import { type DayText, useDayText } from './use-day-text'

/** The days as a list, newest first, with the numbers that do not fit into a phone's grid. */
export function DayList({ calendar }: { calendar: CalendarMonth }) {
  const { t } = useT()
  const text = useDayText(calendar)
  const { waiting, days } = calendar
  if (waiting) return <Loading days={days.filter(({ ahead }) => !ahead).length} />
  const told = days.filter((day) => isMeasured(day) || day.planned.length > 0).reverse()
  if (told.length === 0) return null
  return (
    <section aria-labelledby="days" className="card px-4 py-2 md:hidden">
      <h2 id="days" className="card-heading pt-2">
        {t('calendar.days')}
      </h2>
      <ul className="divide-y divide-line">
        {told.map((day) => (
          <li key={day.day}>
            {day.ahead ? (
              <div className="py-3">
                <Entry day={day} calendar={calendar} text={text} />
              </div>
            ) : (
              <Link
                to="/charts"
                search={{ ...(calendar.sn === null ? {} : { sn: calendar.sn }), date: day.day }}
                preload={false}
                className="relative flex items-center gap-2 py-3"
              >
                <span className="sr-only">{text.sentence(day)}</span>
                <span aria-hidden className="contents">
                  <Entry day={day} calendar={calendar} text={text} />
                  <ChevronRight className="size-4 shrink-0 text-muted" />
                </span>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A placeholder of the list's size. */
function Loading({ days }: { days: number }) {
  return (
    <div className="card grid gap-3 p-4 md:hidden">
      {Array.from({ length: days }, (_, day) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={day} className="h-13" />
      ))}
    </div>
  )
}

type EntryProps = { day: CalendarDay; calendar: CalendarMonth; text: DayText }

function Entry({ day, calendar, text }: EntryProps) {
  const { t, locale } = useT()
  const { selfSufficiency, energies, consumed, money, planned } = day
  const values = [
    [t('calendar.pv'), text.energy(energies.pv)],
    [t('calendar.consumption'), text.energy(consumed)],
  ]
  return (
    <span className="block min-w-0 flex-1">
      <span className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="num text-md font-medium">
          {formatTick(utcOf(day.day), 'weekday', { locale, timeZone: 'UTC' })}
          {day.today && <span className="font-normal text-muted"> · {t('calendar.today')}</span>}
        </span>
        {selfSufficiency !== null && (
          <span
            className={cn(
              'num rounded-full px-2.5 py-0.5 text-sm font-semibold',
              SHADES[levelOf(selfSufficiency)],
            )}
          >
            {text.percent(selfSufficiency)}
          </span>
        )}
      </span>
      {isMeasured(day) && (
        <span className="num mt-1 flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted">
          {values.map(([label, value]) => (
            <span key={label}>
              {label} <span className="text-text">{value}</span>
            </span>
          ))}
          {calendar.withMoney && money.actual !== null && (
            <span className="text-text">{text.named(money.actual)}</span>
          )}
        </span>
      )}
      {planned.map((what) => (
        <span key={what} className="mt-1 flex items-center gap-1.5 text-sm font-medium text-grid-text">
          <CalendarClock aria-hidden className="size-3.5 shrink-0" />
          {t(`calendar.planned.${what}`)}
        </span>
      ))}
    </span>
  )
}
