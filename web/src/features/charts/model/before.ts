/** The same time before: yesterday, a week, a month or a year ago, drawn behind what is shown. */
import type { Graph } from '@/lib/api/chart-queries'
import { type Interval, plusDays, type SiteDay, siteDayOf, step, utcOf } from '@/lib/site-day'

/** So much earlier. */
export type Before = 'day' | 'week' | 'month' | 'year'

/** What can be held against each: nothing that overlaps it. */
export const BEFORE: Record<Interval, readonly Before[]> = {
  Day: ['day', 'week', 'year'],
  Week: ['week', 'year'],
  Month: ['month', 'year'],
  Year: ['year'],
}

/** The day to ask for instead. A week of last year has the same weekdays, so it is 52 weeks away. */
export function dateBefore(date: SiteDay, interval: Interval, before: Before): SiteDay {
  if (before === 'day') return plusDays(date, -1)
  if (before === 'week') return plusDays(date, -7)
  if (before === 'month') return step(date, 'Month', -1)
  if (interval === 'Week') return plusDays(date, -364)
  const year = `${Number(date.slice(0, 4)) - 1}`
  // A year without 29 February has its 28th.
  return date.endsWith('-02-29') ? `${year}-02-28` : `${year}${date.slice(4)}`
}

type Timed = Pick<Graph, 'interval' | 'resolution' | 'time_zone' | 'time'>
export type Values = Graph['series']

/** What was measured then, point for point, and when that was. */
export type Earlier = { before: Before; values: Values }

const aligned = new WeakMap<Graph, { before: Graph; values: Values }>()

/** The same object for the same two answers: a new one would be drawn anew. */
export function earlierValues(graph: Graph, before: Graph): Values {
  const known = aligned.get(graph)
  if (known?.before === before) return known.values
  const values = alignedTo(graph, before)
  aligned.set(graph, { before, values })
  return values
}

/**
 * What was measured before at each point of a chart: at the same time of the same day of the period, by the site's clock. So a
 * day of 23 or 25 hours is held against one of 24, and 31 days against 28, hour by hour and day by day.
 */
export function alignedTo(graph: Timed, before: Timed & Pick<Graph, 'series'>): Values {
  const places = new Map<string, number>()
  for (const [place, name] of namesOf(before).entries()) if (!places.has(name)) places.set(name, place)
  const from = namesOf(graph).map((name) => places.get(name))
  return Object.fromEntries(
    Object.entries(before.series).map(([code, values]) => [
      code,
      from.map((place) => (place === undefined ? null : (values[place] ?? null))),
    ]),
  )
}

/** What a point is called within its period: "3 14:15" of a week, "06" of a year by months. */
function namesOf({ interval, resolution, time_zone: timeZone, time }: Timed): string[] {
  const days = time.map((ms) => siteDayOf(ms, timeZone))
  if (interval === 'Year') return days.map((day) => (resolution === 'month' ? day.slice(5, 7) : day.slice(5)))
  const [first = ''] = days
  const clock = clockOf(timeZone)
  return days.map((day, place) => {
    const number = Math.round((utcOf(day) - utcOf(first)) / DAY)
    return resolution === 'day' ? `${number}` : `${number} ${clock.format(time[place])}`
  })
}

const DAY = 86_400_000

const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })

/** Only up to where the chart itself has values, so that half a day is not held against a whole one. */
export const upToNow = (values: Values, graph: Pick<Graph, 'series'>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([code, numbers]) => {
      const last = (graph.series[code] ?? []).findLastIndex((value) => value !== null)
      return [code, numbers.map((value, place) => (place > last ? null : value))]
    }),
  )
