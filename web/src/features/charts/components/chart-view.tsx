import { useMemo } from 'react'
import { PagePart } from '@/components/ui/page-part'
import type { Graph } from '@/lib/data/charts'
import type { Locale } from '@/lib/i18n/locales'
import { type Translate, useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { useTheme } from '@/lib/theme'
import type { Earlier } from '../model/before'
import type { Extents } from '../model/extent'
import { pointTime } from '../model/point-time'
import type { TimeRange } from '../model/range'
import type { Series } from '../model/series'
import type { PlotGroup } from '../plot/group'
import { Plot } from '../plot/plot'
import { valueText } from './value-text'

/** Loaded after the drawing. */
const ChartSummary = lazyPart(async () => (await import('./chart-summary')).ChartSummary)

type Props = {
  group: PlotGroup
  graph: Graph
  series: readonly Series[]
  earlier: Earlier | undefined
  /** The system's name, if there are several. */
  name: string
  title: string
  place: number | null
  /** The visible range; null is everything. */
  zoom: TimeRange | null
  onCursor: (place: number | null) => void
  extents: Extents | undefined
  className: string
}

/** The drawing, or a message without data. */
export function ChartView({ graph, series, earlier, title, place, zoom, className, ...plot }: Props) {
  const { t, locale } = useT()
  const theme = useTheme((state) => state.theme)
  const empty = series.every(({ code }) => (graph.series[code] ?? []).every((value) => value === null))
  const shape = [graph.sn, graph.interval, graph.resolution, graph.time[0], graph.time.length]
  // While the next data loads, the last one is drawn with the series that it contains.
  const shown = useMemo(() => series.filter(({ code }) => code in graph.series), [graph, series])
  return (
    <div className="relative">
      <PagePart>
        <ChartSummary graph={graph} series={shown} zoom={zoom} />
      </PagePart>
      <Plot
        key={[
          ...shape,
          ...shown.map(({ code }) => code),
          earlier && Object.keys(earlier.values).length,
          earlier?.before,
          theme,
          locale,
        ].join()}
        {...plot}
        graph={graph}
        series={shown}
        earlier={earlier?.values}
        label={t('chart.description', { title })}
        reading={readingOf(graph, shown, earlier, place, locale, t)}
        place={place}
        className={className}
      />
      {empty && (
        <p className="pointer-events-none absolute inset-0 grid place-items-center text-center text-md text-muted">
          {t('chart.empty')}
        </p>
      )}
    </div>
  )
}

/** "14:15: PV-Leistung 2,1 kW, Speicher 1,9 kW lädt". */
function readingOf(
  graph: Graph,
  series: readonly Series[],
  earlier: Earlier | undefined,
  place: number | null,
  locale: Locale,
  t: Translate,
): string {
  const at = place === null ? undefined : graph.time[place]
  if (place === null || at === undefined) return t('chart.no_cursor')
  const text = (values: Graph['series'], one: Series) =>
    valueText(values[one.code]?.[place], one, locale, t, graph.reporting)
  const values = series.map((one) =>
    [
      `${t(one.label)} ${text(graph.series, one)}`,
      earlier &&
        one.code in earlier.values &&
        ` (${t(`chart.before.${earlier.before}`)} ${text(earlier.values, one)})`,
    ]
      .filter(Boolean)
      .join(''),
  )
  return `${pointTime(graph, at, locale)}: ${values.join(', ')}`
}
