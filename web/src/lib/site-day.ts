/** Days of a site's calendar as `YYYY-MM-DD`: days of 23 and 25 hours never matter to them. */

export type SiteDay = string
export type Interval = 'Day' | 'Week' | 'Month' | 'Year'

const dayFormats = new Map<string, Intl.DateTimeFormat>()

/**
 * The day that this moment belongs to at the site. Put together from its parts: in which order a language writes them, and with
 * what between them, differs from browser to browser (`en-CA` was `11/17/2026` in some).
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

/** A real day, written in full. */
export function isSiteDay(text: unknown): text is SiteDay {
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) && textOf(utcOf(text)) === text
}

/** Noon, UTC: for formatting a day in the zone `UTC`. */
export const utcOf = (day: SiteDay) => Date.parse(`${day}T12:00:00Z`)

const textOf = (utc: number) => (Number.isNaN(utc) ? '' : new Date(utc).toISOString().slice(0, 10))

export const plusDays = (day: SiteDay, days: number) => textOf(utcOf(day) + days * 86_400_000)

/** The Monday of its week, as calendars are ruled. */
export const mondayOf = (day: SiteDay) => plusDays(day, -((new Date(utcOf(day)).getUTCDay() + 6) % 7))

/** The first day of the month or year that holds a day, or of the seven days that end with it. */
export function startOf(day: SiteDay, interval: Interval): SiteDay {
  if (interval === 'Week') return plusDays(day, -6)
  if (interval === 'Month') return `${day.slice(0, 7)}-01`
  return interval === 'Year' ? `${day.slice(0, 4)}-01-01` : day
}

/** A day of the next (1) or the last (-1) day, week, month or year. */
export function step(day: SiteDay, interval: Interval, by: 1 | -1): SiteDay {
  if (interval === 'Day') return plusDays(day, by)
  if (interval === 'Week') return plusDays(day, 7 * by)
  const start = startOf(day, interval)
  const [year = 0, month = 1] = start.split('-').map(Number)
  return textOf(interval === 'Month' ? Date.UTC(year, month - 1 + by, 1, 12) : Date.UTC(year + by, 0, 1, 12))
}

/** `2026-11-15 08:05:09`, on the site's clock already: only its parts are rearranged, never its hours. */
export function siteTimeOf(time: string): number | null {
  const [, day, clock] = time.match(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/) ?? []
  const ms = Date.parse(`${day}T${clock}Z`)
  return Number.isNaN(ms) ? null : ms
}
