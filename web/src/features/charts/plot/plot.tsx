import { type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Graph } from '@/lib/api/chart-queries'
import { useT } from '@/lib/i18n/use-t'
import { drawn, type Series } from '../model/series'
import { optionsOf } from './options'
import { pictureOf } from './picture'
import { readTheme } from './theme'

/** What buttons beside the chart can do with it. */
export type PlotHandle = {
  /** Below 1 closer, above 1 further away. */
  zoom: (factor: number) => void
  /** By a part of what is visible: -0.5 is half a screen back. */
  pan: (part: number) => void
  reset: () => void
  picture: (title: string) => Promise<Blob | null>
}

type Props = {
  ref: Ref<PlotHandle>
  graph: Graph
  series: readonly Series[]
  height: number
  /** Place of the point under the cursor, null when there is none. */
  onCursor: (place: number | null) => void
  onZoomed: (zoomed: boolean) => void
}

/** The drawing itself. Give it a key with everything but the data: new data keep the zoom, all else begins anew. */
export function Plot({ ref, graph, series, height, onCursor, onZoomed }: Props) {
  const { t, locale } = useT()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data = useMemo(() => dataOf(graph, series), [graph, series])
  const [from, to] = boundsOf(data[0])

  const show = (min: number, max: number) => {
    const width = Math.min(max - min, to - from)
    const start = Math.min(Math.max(from, min), to - width)
    plot.current?.setScale('x', { min: start, max: start + width })
  }
  const visible = (): [number, number] => [
    plot.current?.scales.x?.min ?? from,
    plot.current?.scales.x?.max ?? to,
  ]

  useImperativeHandle(ref, () => ({
    zoom: (factor) => {
      const [min, max] = visible()
      const half = ((max - min) * factor) / 2
      show((min + max) / 2 - half, (min + max) / 2 + half)
    },
    pan: (part) => {
      const [min, max] = visible()
      show(min + (max - min) * part, max + (max - min) * part)
    },
    reset: () => show(from, to),
    picture: (title) => (plot.current ? pictureOf(plot.current, title, series, t) : Promise.resolve(null)),
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; whoever changes anything else gives a new key
  useEffect(() => {
    const element = host.current
    if (!element) return
    const options = optionsOf({
      series,
      theme: readTheme(),
      locale,
      timeZone: graph.time_zone,
      nowLabel: t('chart.now'),
      width: element.clientWidth,
      height,
      onCursor,
    })
    const onScale = (self: uPlot, key: string) => {
      const { min, max } = self.scales.x ?? {}
      if (key !== 'x' || min == null || max == null) return
      onZoomed(max - min < (to - from) * 0.999)
    }
    options.hooks = { ...options.hooks, setScale: [onScale] }
    const last = data[0].at(-1) ?? to
    // The points of a whole stretch end one step before it does.
    options.scales = {
      ...options.scales,
      x: { range: (_plot, min, max) => (min <= from && max >= last ? [from, to] : [min, max]) },
    }
    const made = new uPlot(options, data, element)
    plot.current = made
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [])

  // Newer points of the same stretch of time leave what is visible as it is.
  useEffect(() => {
    const made = plot.current
    if (!made || made.data === data) return
    const { min, max } = made.scales.x ?? {}
    made.setData(data, false)
    if (min != null && max != null) made.setScale('x', { min, max })
  }, [data])

  // What is drawn follows the size of the page a moment later; until then it must not widen it.
  return <div ref={host} aria-hidden className="chart-host overflow-hidden" />
}

const dataOf = (graph: Graph, series: readonly Series[]): [number[], ...(number | null)[][]] => [
  graph.time.map((ms) => ms / 1_000),
  ...series.map(({ code, unit }) => graph.time.map((_, place) => drawn(graph.series[code]?.[place], unit))),
]

/** The last point is as long as the one before it. */
function boundsOf(time: ArrayLike<number>): [number, number] {
  const last = time[time.length - 1] ?? 0
  return [time[0] ?? 0, last + (last - (time[time.length - 2] ?? last - 3_600))]
}
