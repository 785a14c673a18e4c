/** The steps of a chart: each point stands for a stretch of time. */
import type { Graph } from '@/lib/api/chart-queries'
import type { Stretch } from './stretch'

type Timed = Pick<Graph, 'time' | 'resolution'>

/** A step ends where the next one begins; the last is as long as the one before it. */
export const stepsOf = ({ time }: Timed): Stretch[] =>
  time.map((ms, place) => {
    const next = time[place + 1] ?? ms + (ms - (time[place - 1] ?? ms - 3_600_000))
    return [ms / 1_000, next / 1_000]
  })

/** Days and months are steps with a name of their own; anything finer is a moment on an axis of hours. */
export const isNamed = ({ resolution }: Pick<Graph, 'resolution'>) =>
  resolution === 'day' || resolution === 'month'

/** Where a point is drawn: moments where they begin, days and months in their middle. */
export const pointsOf = (graph: Timed): number[] =>
  stepsOf(graph).map(([from, to]) => (isNamed(graph) ? (from + to) / 2 : from))
