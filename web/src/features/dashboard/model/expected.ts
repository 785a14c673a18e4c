import type { Forecast } from '@/lib/data/forecast'
import { type SiteDay, siteDayOf } from '@/lib/site-day'

/** The shortest day, with a clock change, has 92 quarters; with fewer the sum would be too low. */
const MIN_QUARTERS = 92

/** Expected Wh on a day of the site; null without a complete forecast. */
export function expectedOf(
  points: Forecast['pv'],
  day: SiteDay,
  timeZone: string | undefined,
): number | null {
  const within = points.filter(({ start }) => siteDayOf(start, timeZone) === day)
  if (within.length < MIN_QUARTERS) return null
  return within.reduce((sum, { p50 }) => sum + p50 / 4, 0)
}
