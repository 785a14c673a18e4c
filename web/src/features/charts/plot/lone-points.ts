import type uPlot from 'uplot'

/** Indices of values with a gap on both sides; null if there are none. */
export function lonePoints({ data }: Pick<uPlot, 'data'>, series: number): number[] | null {
  const values = data[series] ?? []
  const lone: number[] = []
  for (let place = 0; place < values.length; place += 1)
    if (values[place] != null && values[place - 1] == null && values[place + 1] == null) lone.push(place)
  return lone.length > 0 ? lone : null
}
