import type { Forecast } from '@/lib/api/forecast-query'
import { type SiteDay, siteDayOf } from '@/lib/site-day'

/** A day that changes its clock has 92 quarter-hours; with less it would look like less. */
const WHOLE_DAY = 92

/** Wh that are expected on a day of the site; null where not all of it is forecast. */
export function expectedOf(
  points: Forecast['pv'],
  day: SiteDay,
  timeZone: string | undefined,
): number | null {
  const within = points.filter(({ start }) => siteDayOf(start, timeZone) === day)
  if (within.length < WHOLE_DAY) return null
  return within.reduce((sum, { p50 }) => sum + p50 / 4, 0)
}
