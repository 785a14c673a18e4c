/** Comparison with an earlier period: a day, week, month or year before, drawn behind the chart. */
import type { Graph } from '@/lib/data/charts'
import { type Interval, plusDays, type SiteDay, siteDayOf, step, utcOf } from '@/lib/site-day'

/** The distance to the compared period. */
export type Before = 'day' | 'week' | 'month' | 'year'

/** The comparisons of each interval; compared periods never overlap. */
export const BEFORE: Record<Interval, readonly Before[]> = {
  Day: ['day', 'week', 'year'],
  Week: ['week', 'year'],
  Month: ['month', 'year'],
  Year: ['year'],
}

/** The compared date. A week a year ago is 52 weeks earlier, with the same weekdays. */
export function dateBefore(date: SiteDay, interval: Interval, before: Before): SiteDay {
  if (before === 'day') return plusDays(date, -1)
  if (before === 'week') return plusDays(date, -7)
  if (before === 'month') return step(date, 'Month', -1)
  if (interval === 'Week') return plusDays(date, -364)
  const year = `${Number(date.slice(0, 4)) - 1}`
  // 29 February is compared with 28 February.
  return date.endsWith('-02-29') ? `${year}-02-28` : `${year}${date.slice(4)}`
}

type Timed = Pick<Graph, 'interval' | 'resolution' | 'time_zone' | 'time'>
export type Values = Graph['series']

/** The compared values, aligned to the chart's points. */
export type Earlier = { before: Before; values: Values }

const aligned = new WeakMap<Graph, { before: Graph; values: Values }>()

/** Memoised, because a new object would redraw the chart. */
export function earlierValues(graph: Graph, before: Graph): Values {
  const known = aligned.get(graph)
  if (known?.before === before) return known.values
  const values = alignedTo(graph, before)
  aligned.set(graph, { before, values })
  return values
}

/**
 * Aligns the compared values to the chart's points: the same time of the same day of the period, by the
 * site's clock. So days of 23 or 25 hours align with 24, and 31 days with 28.
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

/** A point's position in its period: "3 14:15" in a week, "06" in a year of months. */
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

/** Only as far as the chart has values, so that half a day is not compared with a whole one. */
export const upToNow = (values: Values, graph: Pick<Graph, 'series'>): Values =>
  Object.fromEntries(
    Object.entries(values).map(([code, numbers]) => {
      const last = (graph.series[code] ?? []).findLastIndex((value) => value !== null)
      return [code, numbers.map((value, place) => (place > last ? null : value))]
    }),
  )
