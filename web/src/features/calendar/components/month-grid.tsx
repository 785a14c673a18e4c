import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { formatWeekday } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { dayAfterKey, firstDay, monthOf, weeksOf } from '../model/month'
import type { CalendarMonth } from '../use-month'
import { DayCell } from './day-cell'
import { useDayText } from './use-day-text'

/** The month grid with a roving tab stop: arrow keys move between the days. */
export function MonthGrid({ calendar, name }: { calendar: CalendarMonth; name: string }) {
  const { locale } = useT()
  const { month, days } = calendar
  const { table, tabStop, onKeyDown } = useArrowKeys(calendar)
  const text = useDayText(calendar)
  const byDay = new Map(days.map((day) => [day.day, day]))
  const weeks = weeksOf(month)
  return (
    <table
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern wants a grid, and this table is one
      role="grid"
      aria-label={name}
      ref={table}
      onKeyDown={onKeyDown}
      className="w-full table-fixed border-separate border-spacing-1 md:border-spacing-1.5"
    >
      <thead>
        <tr>
          {weeks[0]?.map((day) => (
            <th
              key={day}
              scope="col"
              aria-label={formatWeekday(day, 'long', locale)}
              className="py-1 text-center text-xs font-medium text-muted"
            >
              {formatWeekday(day, 'short', locale)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <DayCell
                key={day}
                date={day}
                day={byDay.get(day)}
                calendar={calendar}
                text={text}
                focusable={day === tabStop}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The active day and its key handler; moving beyond the edge opens the next month. */
function useArrowKeys({ month, months, today, goTo }: CalendarMonth) {
  const table = useRef<HTMLTableElement>(null)
  const [active, setActive] = useState<SiteDay>(today)
  const moved = useRef(false)
  const usual = monthOf(today) === month ? today : firstDay(month)
  const tabStop = monthOf(active) === month ? active : usual

  // The month of the active day may have to be rendered first.
  useEffect(() => {
    if (!moved.current || monthOf(active) !== month) return
    moved.current = false
    table.current?.querySelector<HTMLElement>(`[data-day="${active}"]`)?.focus()
  }, [active, month])

  function onKeyDown(event: KeyboardEvent) {
    const from = (event.target as HTMLElement).dataset.day
    if (!from || event.altKey || event.ctrlKey || event.metaKey) return
    const to = dayAfterKey(event.key, from)
    if (!to) return
    event.preventDefault()
    if (!months.includes(monthOf(to))) return
    moved.current = true
    setActive(to)
    if (monthOf(to) !== month) goTo(monthOf(to))
  }

  return { table, tabStop, onKeyDown }
}
