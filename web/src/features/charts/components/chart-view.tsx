import type { Ref } from 'react'
import type { Graph } from '@/lib/api/chart-queries'
import { useT } from '@/lib/i18n/use-t'
import { useTheme } from '@/lib/theme'
import type { Series } from '../model/series'
import { Plot, type PlotHandle } from '../plot/plot'

const HEIGHT = 300
/** The same as a class, for what stands in for the chart. */
export const CHART_HEIGHT = 'h-[300px]'

type Props = {
  ref: Ref<PlotHandle>
  graph: Graph
  series: readonly Series[]
  title: string
  onCursor: (place: number | null) => void
  onZoomed: (zoomed: boolean) => void
}

/** The drawing, what it says where it has nothing to draw, and what above and below zero mean. */
export function ChartView({ ref, graph, series, title, onCursor, onZoomed }: Props) {
  const { t, locale } = useT()
  const theme = useTheme((state) => state.theme)
  const empty = series.every(({ code }) => (graph.series[code] ?? []).every((value) => value === null))
  const signed = series.some(({ words, below }) => words || below)
  const shape = [graph.sn, graph.interval, graph.resolution, graph.time[0], graph.time.length]
  // An answer to the last choice is drawn until the next one comes, but only with series that it has.
  const shown = series.filter(({ code }) => code in graph.series)
  return (
    <>
      <div role="img" aria-label={t('chart.description', { title })} className="relative">
        <Plot
          key={[...shape, ...shown.map(({ code }) => code), theme, locale].join()}
          ref={ref}
          graph={graph}
          series={shown}
          height={HEIGHT}
          onCursor={onCursor}
          onZoomed={onZoomed}
        />
        {empty && (
          <p className="pointer-events-none absolute inset-0 grid place-items-center text-[14px] text-muted">
            {t('chart.empty')}
          </p>
        )}
      </div>
      <p className="mt-1 min-h-[1.45em] text-[12px] text-muted">{signed && t('chart.signs')}</p>
    </>
  )
}
