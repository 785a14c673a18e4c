/** The weeks of a month, and keyboard navigation between days. */
import { mondayOf, plusDays, type SiteDay, step } from '@/lib/site-day'
import type { Month } from './search'

export const monthOf = (day: SiteDay): Month => day.slice(0, 7)
export const firstDay = (month: Month): SiteDay => `${month}-01`
export const lastDay = (month: Month): SiteDay => plusDays(firstDay(nextMonth(month)), -1)
export const nextMonth = (month: Month): Month => monthOf(step(firstDay(month), 'Month', 1))
export const previousMonth = (month: Month): Month => monthOf(step(firstDay(month), 'Month', -1))

/** Whole weeks from Monday on; days of the neighbouring months fill both ends. */
export function weeksOf(month: Month): SiteDay[][] {
  const weeks: SiteDay[][] = []
  for (let monday = mondayOf(firstDay(month)); monday <= lastDay(month); monday = plusDays(monday, 7))
    weeks.push(Array.from({ length: 7 }, (_, weekday) => plusDays(monday, weekday)))
  return weeks
}

/** The months from January of a year on, newest first. */
export function monthsBetween(firstYear: number, last: Month): Month[] {
  const months: Month[] = []
  for (let month = last; month >= `${firstYear}-01`; month = previousMonth(month)) months.push(month)
  return months
}

/** The same day of another month, or its last one. */
const sameDayIn = (month: Month, day: SiteDay): SiteDay => {
  const same = `${month}-${day.slice(8)}`
  return same > lastDay(month) ? lastDay(month) : same
}

const clamp = (day: SiteDay, month: Month): SiteDay => {
  if (day < firstDay(month)) return firstDay(month)
  return day > lastDay(month) ? lastDay(month) : day
}

/** The target of a key press in the WAI-ARIA grid pattern; null for other keys. */
export function dayAfterKey(key: string, day: SiteDay): SiteDay | null {
  const month = monthOf(day)
  switch (key) {
    case 'ArrowLeft':
      return plusDays(day, -1)
    case 'ArrowRight':
      return plusDays(day, 1)
    case 'ArrowUp':
      return plusDays(day, -7)
    case 'ArrowDown':
      return plusDays(day, 7)
    case 'Home':
      return clamp(mondayOf(day), month)
    case 'End':
      return clamp(plusDays(mondayOf(day), 6), month)
    case 'PageUp':
      return sameDayIn(previousMonth(month), day)
    case 'PageDown':
      return sameDayIn(nextMonth(month), day)
    default:
      return null
  }
}
