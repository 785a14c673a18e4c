/** The time steps of a chart's points. */
import type { Graph } from '@/lib/data/charts'
import type { TimeRange } from './range'

type Timed = Pick<Graph, 'time' | 'resolution'>

/** A step ends at the next one; the last is as long as the one before it. */
export const stepsOf = ({ time }: Timed): TimeRange[] =>
  time.map((ms, place) => {
    const next = time[place + 1] ?? ms + (ms - (time[place - 1] ?? ms - 3_600_000))
    return [ms / 1_000, next / 1_000]
  })

/** Days and months are labelled steps; finer resolutions are points on a time axis. */
export const isNamed = ({ resolution }: Pick<Graph, 'resolution'>) =>
  resolution === 'day' || resolution === 'month'

/** The positions of the points: days and months at their middle, others at their beginning. */
export const pointsOf = (graph: Timed): number[] =>
  stepsOf(graph).map(([from, to]) => (isNamed(graph) ? (from + to) / 2 : from))
