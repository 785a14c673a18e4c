import type uPlot from 'uplot'

type Plot = Pick<uPlot, 'cursor' | 'data' | 'over' | 'posToIdx' | 'valToPos'>

/** Snaps the cursor to the point whose values are shown. */
export function snapToPoint(plot: Plot, left: number, top: number): [number, number] {
  const { cursor, data, over } = plot
  const selecting = (cursor.event?.buttons ?? 0) > 0
  const point = left < 0 || selecting ? undefined : data[0][plot.posToIdx(left)]
  if (point === undefined) return [left, top]
  const at = plot.valToPos(point, 'x')
  return at >= 0 && at <= over.clientWidth ? [at, top] : [left, top]
}
