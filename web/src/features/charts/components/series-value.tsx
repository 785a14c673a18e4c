import type { Graph } from '@/lib/api/chart-queries'
import { useT } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'
import type { Summary } from '../model/summary'
import { reportingAt, valueAt, valueText, widestText } from './value-text'

type Props = {
  series: Series
  graph: Graph | undefined
  /** The point under the cursor; without one the summary counts. */
  place: number | null
  summary: Summary
}

/** The value of a series. It has room for the widest, so that nothing beside it moves with the cursor. */
export function SeriesValue({ series, graph, place, summary }: Props) {
  const { t, locale } = useT()
  const value = valueAt(graph, series, place, summary)
  return (
    <span
      data-widest={widestText(series, locale, t)}
      className="num inline-block text-left font-medium whitespace-nowrap after:invisible after:block after:h-0 after:overflow-hidden after:content-[attr(data-widest)]"
    >
      {valueText(value, series, locale, t, reportingAt(graph, place, summary))}
    </span>
  )
}
