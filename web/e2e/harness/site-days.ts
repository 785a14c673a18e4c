/** Days in Berlin, where the demo's batteries are. */
import { siteDayOf } from '../../src/lib/site-day.ts'

const DAY = 86_400_000

export const berlinDay = (ms: number) => siteDayOf(ms, 'Europe/Berlin')

export const daysAgo = (days: number) => berlinDay(Date.now() - days * DAY)

/** The newest past day with this many hours: clocks change on the last Sunday of March and of October. */
function lastDayOf(hours: 23 | 25): string {
  const month = hours === 23 ? 2 : 9
  const thisYear = new Date().getUTCFullYear()
  const [day = ''] = [thisYear, thisYear - 1]
    .map((year) => {
      const last = new Date(Date.UTC(year, month + 1, 0))
      return new Date(last.getTime() - last.getUTCDay() * DAY).toISOString().slice(0, 10)
    })
    .filter((sunday) => sunday < daysAgo(0))
  return day
}

export const SPRING = lastDayOf(23)
export const AUTUMN = lastDayOf(25)

/** A history that covers both clock changes. */
export const BOTH_CHANGES =
  Math.ceil((Date.now() - Math.min(Date.parse(SPRING), Date.parse(AUTUMN))) / DAY) + 1
