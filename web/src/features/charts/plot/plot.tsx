import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { cn } from '@/lib/cn'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import { useSkew } from '@/lib/live/use-live'
import type { Values } from '../model/before'
import type { Extents } from '../model/extent'
import { pointTime } from '../model/point-time'
import { joinRanges, type TimeRange } from '../model/range'
import { roundForChart, type Series } from '../model/series'
import { pointsOf, stepsOf } from '../model/steps'
import { bindGestures } from './gestures'
import type { PlotGroup } from './group'
import { keyAction } from './keys'
import { optionsOf } from './options'
import { readTheme } from './theme'

type Props = {
  group: PlotGroup
  graph: Graph
  series: readonly Series[]
  /** The compared values, drawn behind. */
  earlier: Values | undefined
  /** The system's name, for a picture of several. */
  name: string
  /** The chart's accessible name. */
  label: string
  /** The announced text: the time at the cursor and its values. */
  reading: string
  /** The index of the point at the cursor, null if there is none. */
  place: number | null
  onCursor: (place: number | null) => void
  extents: Extents | undefined
  /** Sets the height. */
  className: string
}

/**
 * The drawing. Its key must contain everything except the data: new data keeps the zoom, other changes create
 * a new plot. For keyboards and screen readers it is a slider.
 */
export function Plot(props: Props) {
  const { group, graph, series, earlier, name, label, reading, place, onCursor, extents, className } = props
  const { t, locale } = useT()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data = useMemo(() => dataOf(graph, series, earlier), [graph, series, earlier])
  const skew = useSkew()
  /** The data that is currently drawn. */
  const shown = useRef({ data, extents, skew })

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; whoever changes anything else gives a new key
  useEffect(() => {
    const element = host.current
    if (!element) return
    const start = performance.now()
    const steps = stepsOf(graph)
    const whole = joinRanges(steps)
    const options = optionsOf({
      series,
      compared: earlier ? comparedSeriesOf(series, earlier) : [],
      group,
      theme: readTheme(),
      locale,
      timeZone: graph.time_zone,
      resolution: graph.resolution,
      steps,
      nowLabel: t('chart.now'),
      now: () => Date.now() + shown.current.skew,
      width: element.clientWidth,
      height: element.clientHeight,
      extents: () => shown.current.extents,
      timeOf: (point) => pointTime(graph, graph.time[point] ?? 0, locale),
      onCursor,
    })
    // The whole range starts before the first point, or ends after the last.
    options.scales = {
      ...options.scales,
      x: { range: (_plot, min, max) => extendToWhole(whole, min, max, data[0]) },
    }
    // A measure for `make bench` and profiling.
    options.hooks = { ...options.hooks, ready: [() => performance.measure('chart', { start })] }
    const made = new uPlot(options, data, element)
    plot.current = made
    const leave = group.join(made, whole, name)
    const unbind = bindGestures(made, group)
    const resized = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    resized.observe(element)
    return () => {
      resized.disconnect()
      unbind()
      leave()
      made.destroy()
      plot.current = null
    }
  }, [])

  // New data of the same period, here or in a neighbouring chart, keeps the visible range.
  useEffect(() => {
    const made = plot.current
    if (!made || (shown.current.data === data && shown.current.extents === extents)) return
    shown.current = { ...shown.current, data, extents }
    const { min, max } = made.scales.x ?? {}
    made.setData(data, false)
    if (min != null && max != null) made.setScale('x', { min, max })
  }, [data, extents])

  useEffect(() => {
    if (shown.current.skew === skew) return
    shown.current.skew = skew
    plot.current?.redraw(false)
  }, [skew])

  const onKeyDown = (event: KeyboardEvent) => {
    const act = keyAction(event)
    if (!act || !plot.current) return
    event.preventDefault()
    act(plot.current, group)
  }

  return (
    // The canvas follows the page's size later; until then it must not widen the page.
    <div
      ref={host}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, graph.time.length - 1)}
      aria-valuenow={place ?? 0}
      aria-valuetext={reading}
      onKeyDown={onKeyDown}
      className={cn('overflow-hidden', className)}
    />
  )
}

/** The series that have compared values. */
const comparedSeriesOf = (series: readonly Series[], earlier: Values) =>
  series.filter(({ code }) => code in earlier)

function dataOf(
  graph: Graph,
  series: readonly Series[],
  earlier: Values | undefined,
): [number[], ...(number | null)[][]] {
  const line = (values: Values, { code, unit }: Series) =>
    graph.time.map((_, place) => roundForChart(values[code]?.[place], unit))
  return [
    pointsOf(graph),
    ...series.map((one) => line(graph.series, one)),
    ...(earlier ? comparedSeriesOf(series, earlier).map((one) => line(earlier, one)) : []),
  ]
}

/** A range that contains all points is extended to the whole. */
function extendToWhole(
  [from, to]: TimeRange,
  min: number,
  max: number,
  points: readonly number[],
): [number, number] {
  const all = min <= (points[0] ?? from) && max >= (points.at(-1) ?? to)
  return all ? [Math.min(min, from), Math.max(max, to)] : [min, max]
}
