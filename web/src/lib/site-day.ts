/** Calendar days of a site as `YYYY-MM-DD`, independent of days with 23 or 25 hours. */

export type SiteDay = string
export type Interval = 'Day' | 'Week' | 'Month' | 'Year'

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/**
 * The site's day at this time. Built from parts, because the order and separators of a language differ
 * between browsers (`en-CA` was `11/17/2026` in some).
 */
export function siteDayOf(ms: number, timeZone: string | undefined): SiteDay {
  const key = timeZone ?? ''
  const format =
    dayFormats.get(key) ??
    new Intl.DateTimeFormat('en', {
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      timeZone,
    })
  dayFormats.set(key, format)
  const parts = format.formatToParts(ms)
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** Whether it is a valid date in full. */
export function isSiteDay(text: unknown): text is SiteDay {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && textOf(utcOf(text)) === text
}

/** Noon in UTC, for formatting a day in the zone `UTC`. */
export const utcOf = (day: SiteDay) => Date.parse(`${day}T12:00:00Z`)

const textOf = (utc: number) => (Number.isNaN(utc) ? '' : new Date(utc).toISOString().slice(0, 10))

export const plusDays = (day: SiteDay, days: number) => textOf(utcOf(day) + days * 86_400_000)

/** The Monday of its week. */
export const mondayOf = (day: SiteDay) => plusDays(day, -((new Date(utcOf(day)).getUTCDay() + 6) % 7))

/** The first day of the month or year that contains a day, or of the seven days that end with it. */
export function startOf(day: SiteDay, interval: Interval): SiteDay {
  if (interval === 'Week') return plusDays(day, -6)
  if (interval === 'Month') return `${day.slice(0, 7)}-01`
  return interval === 'Year' ? `${day.slice(0, 4)}-01-01` : day
}

/** A day of the next (1) or previous (-1) period. */
export function step(day: SiteDay, interval: Interval, by: 1 | -1): SiteDay {
  if (interval === 'Day') return plusDays(day, by)
  if (interval === 'Week') return plusDays(day, 7 * by)
  const start = startOf(day, interval)
  const [year = 0, month = 1] = start.split('-').map(Number)
  return textOf(interval === 'Month' ? Date.UTC(year, month - 1 + by, 1, 12) : Date.UTC(year + by, 0, 1, 12))
}

/** Parses `2026-11-15 08:05:09`, already in the site's local time, without converting it. */
export function siteTimeOf(time: string): number | null {
  const [, day, clock] = time.match(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/) ?? []
  const ms = Date.parse(`${day}T${clock}Z`)
  return Number.isNaN(ms) ? null : ms
}
