import { Link } from '@tanstack/react-router'
import { cn } from '@/lib/cn'
import type { SiteDay } from '@/lib/site-day'
import { type CalendarDay, levelOf } from '../model/day'
import type { CalendarMonth } from '../use-month'
import { DayTile } from './day-tile'
import { SHADES } from './shade'
import type { DayText } from './use-day-text'

type Props = {
  date: SiteDay
  /** Undefined: a day of a neighbouring month that fills the week. */
  day: CalendarDay | undefined
  calendar: CalendarMonth
  text: DayText
  /** The grid's roving tab stop. */
  focusable: boolean
}

/** A minimum height: a row grows with its fullest day. */
const CELL = 'h-15 p-0 align-top md:h-34'
const BOX = 'relative flex h-full min-w-0 flex-col rounded-lg p-1 sm:p-1.5 md:rounded-xl md:p-2'

/** A day of the grid. Days that have begun link to their charts. */
export function DayCell({ date, day, calendar, text, focusable }: Props) {
  const { sn, waiting } = calendar
  if (!day)
    return (
      <td aria-disabled className={CELL}>
        <span className={cn(BOX, 'num text-sm text-muted')}>
          <span className="px-1.5 py-0.5 opacity-70">{Number(date.slice(8))}</span>
        </span>
      </td>
    )
  const focus = { 'data-day': date, tabIndex: focusable ? 0 : -1 }
  const content = (
    <>
      <span className="sr-only">{text.sentence(day)}</span>
      <span aria-hidden className="contents">
        <DayTile day={day} calendar={calendar} text={text} />
      </span>
    </>
  )
  const shade = !waiting && day.selfSufficiency !== null && SHADES[levelOf(day.selfSufficiency)]
  const look = cn(BOX, 'border border-line', shade)
  if (day.ahead)
    return (
      <td {...focus} className={cn(CELL, 'rounded-lg md:rounded-xl')}>
        <span className={look}>{content}</span>
      </td>
    )
  return (
    <td aria-current={day.today ? 'date' : undefined} className={CELL}>
      <Link
        to="/charts"
        search={{ ...(sn === null ? {} : { sn }), date }}
        preload={false}
        {...focus}
        className={cn(look, 'transition-colors hover:border-line-strong')}
      >
        {content}
      </Link>
    </td>
  )
}
