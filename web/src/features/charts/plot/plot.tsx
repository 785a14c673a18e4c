import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Graph } from '@/lib/api/chart-queries'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { useSkew } from '@/lib/live/use-live'
import type { Values } from '../model/before'
import type { Extents } from '../model/extent'
import { pointTime } from '../model/point-time'
import { drawn, type Series } from '../model/series'
import { pointsOf, stepsOf } from '../model/steps'
import { joined, type Stretch } from '../model/stretch'
import { bindGestures } from './gestures'
import type { PlotGroup } from './group'
import { keyAct } from './keys'
import { optionsOf } from './options'
import { readTheme } from './theme'

type Props = {
  group: PlotGroup
  graph: Graph
  series: readonly Series[]
  /** What was measured at the same time before, to be drawn behind it. */
  earlier: Values | undefined
  /** Of the system, for a picture of several. */
  name: string
  /** What screen readers call the chart. */
  label: string
  /** What they read out of it: the time under the cursor and its values. */
  reading: string
  /** Place of the point under the cursor, null when there is none. */
  place: number | null
  onCursor: (place: number | null) => void
  extents: Extents | undefined
  /** Gives it its height. */
  className: string
}

/**
 * The drawing itself. Give it a key with everything but the data: new data keep the zoom, all else begins anew.
 * To a keyboard and a screen reader it is a slider along its points.
 */
export function Plot(props: Props) {
  const { group, graph, series, earlier, name, label, reading, place, onCursor, extents, className } = props
  const { t, locale } = useT()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data = useMemo(() => dataOf(graph, series, earlier), [graph, series, earlier])
  const skew = useSkew()
  /** What is on the canvas now. */
  const shown = useRef({ data, extents, skew })

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; whoever changes anything else gives a new key
  useEffect(() => {
    const element = host.current
    if (!element) return
    const start = performance.now()
    const steps = stepsOf(graph)
    const whole = joined(steps)
    const options = optionsOf({
      series,
      behind: earlier ? behindOf(series, earlier) : [],
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
    // The whole begins before its first point, or ends after its last.
    options.scales = {
      ...options.scales,
      x: { range: (_plot, min, max) => around(whole, min, max, data[0]) },
    }
    // In the browser's timeline, for `make bench` and whoever looks for what is slow.
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

  // Newer points of the same stretch of time, here or in a chart beside this one, leave what is visible as it is.
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
    const act = keyAct(event)
    if (!act || !plot.current) return
    event.preventDefault()
    act(plot.current, group)
  }

  return (
    // What is drawn follows the size of the page a moment later; until then it must not widen it.
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

/** Those that are drawn a second time, for the time before. */
const behindOf = (series: readonly Series[], earlier: Values) => series.filter(({ code }) => code in earlier)

function dataOf(
  graph: Graph,
  series: readonly Series[],
  earlier: Values | undefined,
): [number[], ...(number | null)[][]] {
  const line = (values: Values, { code, unit }: Series) =>
    graph.time.map((_, place) => drawn(values[code]?.[place], unit))
  return [
    pointsOf(graph),
    ...series.map((one) => line(graph.series, one)),
    ...(earlier ? behindOf(series, earlier).map((one) => line(earlier, one)) : []),
  ]
}

/** All points together are the whole; a part of them is that part. */
function around([from, to]: Stretch, min: number, max: number, points: readonly number[]): [number, number] {
  const all = min <= (points[0] ?? from) && max >= (points.at(-1) ?? to)
  return all ? [Math.min(min, from), Math.max(max, to)] : [min, max]
}
