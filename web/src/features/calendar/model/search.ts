/** The calendar's search parameters. */

/** `YYYY-MM`. */
export type Month = string

/** Defaults are left out: without a month it is the current one. */
export type CalendarSearch = { sn?: string; month?: Month }

/** Ignores invalid values. */
export function readCalendarSearch(raw: Record<string, unknown>): CalendarSearch {
  const search: CalendarSearch = {}
  if (typeof raw.sn === 'string' || typeof raw.sn === 'number') search.sn = String(raw.sn)
  if (typeof raw.month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(raw.month)) search.month = raw.month
  return search
}
