/** Which month the calendar shows, as the address keeps it: a link shows the same month. */

/** `YYYY-MM`. */
export type Month = string

/** Only what differs from the usual stands in the address: no month is this one. */
export type CalendarSearch = { sn?: string; month?: Month }

/** What is wrong in an address is passed over. */
export function readCalendarSearch(raw: Record<string, unknown>): CalendarSearch {
  const search: CalendarSearch = {}
  if (typeof raw.sn === 'string' || typeof raw.sn === 'number') search.sn = String(raw.sn)
  if (typeof raw.month === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(raw.month)) search.month = raw.month
  return search
}
