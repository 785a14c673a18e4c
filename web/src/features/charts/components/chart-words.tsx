import type { Graph } from '@/lib/api/chart-queries'
import { useT } from '@/lib/i18n/use-t'
import { pointTime } from '../model/point-time'
import type { Series } from '../model/series'
import type { Stretch } from '../model/stretch'
import { type Peak, reachOf } from '../model/words'
import { valueText } from './value-text'

type Props = {
  graph: Graph
  series: readonly Series[]
  /** What is visible; null is everything. */
  zoom: Stretch | null
}

/** What the drawing says at a glance, for who hears it: a line for each series. */
export function ChartWords({ graph, series, zoom }: Props) {
  const { t, locale } = useT()
  const time = (at: number) => pointTime(graph, at, locale)
  const lineOf = (one: Series) => {
    const name = t(one.label)
    const text = (value: number) => valueText(value, one, locale, t, graph.reporting)
    const peak = ({ value, at }: Peak) => [text(value), time(at)] as const
    const reach = reachOf(graph, one, zoom)
    if (!reach) return t('words.nothing', { name })
    const [low, lowAt] = peak(reach.low)
    const [high, highAt] = peak(reach.high)
    if (one.unit === 'energy' ? text(reach.total) === text(0) : low === high)
      return t('words.flat', { name, value: high })
    if (one.unit === 'energy') {
      // What is below zero is most where it is lowest.
      const [most, mostAt] = one.below ? [low, lowAt] : [high, highAt]
      return t('words.total', { name, total: text(reach.total), high: most, highAt: mostAt })
    }
    const range = { name, low, lowAt, high, highAt }
    // A mean of charging and discharging says nothing.
    return one.words ? t('words.range', range) : t('words.range_mean', { ...range, mean: text(reach.mean) })
  }
  // That there is nothing at all stands on the drawing.
  if (series.every((one) => reachOf(graph, one, zoom) === null)) return null
  return (
    <ul aria-label={t('words.list')} className="sr-only">
      {zoom && <li>{t('words.zoomed', { from: time(zoom[0] * 1_000), to: time(zoom[1] * 1_000) })}</li>}
      {series.map((one) => (
        <li key={one.code}>{lineOf(one)}</li>
      ))}
    </ul>
  )
}
