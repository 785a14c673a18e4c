/** The time of a point, in the shortest unambiguous format. */
import type { Graph } from '@/lib/data/charts'
import { formatDate, formatDistinctTime, formatPeriod } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import { siteDayOf } from '@/lib/site-day'

type Timed = Pick<Graph, 'interval' | 'resolution' | 'time_zone'>

/**
 * "14:15" within a day, "15.06.2026 14:15" in longer charts, "15.06.2026" for a day, "Juni 2026" for a month.
 */
export function pointTime({ interval, resolution, time_zone: timeZone }: Timed, ms: number, locale: Locale) {
  const moment = { locale, timeZone }
  if (resolution === 'month') return formatPeriod(siteDayOf(ms, timeZone), 'Month', locale)
  if (resolution === 'day') return formatDate(ms, moment)
  const time = formatDistinctTime(ms, moment)
  return interval === 'Day' ? time : `${formatDate(ms, moment)} ${time}`
}
