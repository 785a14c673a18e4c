import { useMemo } from 'react'
import type { Graph } from '@/lib/data/charts'
import type { Locale } from '@/lib/i18n/locales'
import { type Translate, useT } from '@/lib/i18n/use-t'
import { pointTime } from '../model/point-time'
import type { TimeRange } from '../model/range'
import type { Series } from '../model/series'
import { type Peaks, peaksOf } from '../model/words'
import { valueText } from './value-text'

type Props = {
  graph: Graph
  series: readonly Series[]
  /** The visible range; null is everything. */
  zoom: TimeRange | null
}

/** A summary of the drawing for screen readers, a line for each series. */
export function ChartSummary({ graph, series, zoom }: Props) {
  const { t, locale } = useT()
  const time = (seconds: number) => pointTime(graph, seconds * 1_000, locale)
  // The summary does not depend on the cursor.
  const lines = useMemo(() => linesOf(graph, series, zoom, locale, t), [graph, series, zoom, locale, t])
  if (lines.length === 0) return null
  return (
    <ul aria-label={t('words.list')} className="sr-only">
      {zoom && <li>{t('words.zoomed', { from: time(zoom[0]), to: time(zoom[1]) })}</li>}
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

/** Empty if nothing was measured; the drawing already says so. */
function linesOf(
  graph: Graph,
  series: readonly Series[],
  zoom: TimeRange | null,
  locale: Locale,
  t: Translate,
): string[] {
  const reaches = series.map((one) => ({ one, reach: peaksOf(graph, one, zoom) }))
  if (reaches.every(({ reach }) => reach === null)) return []
  return reaches.map(({ one, reach }) =>
    reach ? lineOf(graph, one, reach, locale, t) : t('words.nothing', { name: t(one.label) }),
  )
}

/** "PV-Leistung: 0 W (00:00) bis 5,2 kW (13:15), im Mittel 1,2 kW". */
function lineOf(graph: Graph, one: Series, { low, high, mean, total }: Peaks, locale: Locale, t: Translate) {
  const name = t(one.label)
  const text = (value: number) => valueText(value, one, locale, t, graph.reporting)
  const time = (at: number) => pointTime(graph, at, locale)
  if (one.unit === 'energy') {
    if (text(total) === text(0)) return t('words.flat', { name, value: text(0) })
    // The maximum of values below zero is the lowest one.
    const most = one.below ? low : high
    return t('words.total', { name, total: text(total), high: text(most.value), highAt: time(most.at) })
  }
  if (text(low.value) === text(high.value)) return t('words.flat', { name, value: text(high.value) })
  const range = {
    name,
    low: text(low.value),
    lowAt: time(low.at),
    high: text(high.value),
    highAt: time(high.at),
  }
  // The mean of charging and discharging is meaningless.
  return one.words ? t('words.range', range) : t('words.range_mean', { ...range, mean: text(mean) })
}
