import { cn } from '@/lib/cn'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import type { Earlier } from '../model/before'
import type { Series } from '../model/series'
import type { Summary } from '../model/summary'
import { earlierValue, reportingAt, valueAt, valueText, widestText } from './value-text'

type Props = {
  series: Series
  graph: Graph | undefined
  /** The index of the point at the cursor; without one the summary is shown. */
  place: number | null
  summary: Summary
  earlier: Earlier | undefined
}

/**
 * A series' value and its comparison. The width fits the longest text, so that nothing moves with the cursor.
 */
export function SeriesValue({ series, graph, place, summary, earlier }: Props) {
  const { t, locale } = useT()
  const reporting = reportingAt(graph, place, summary)
  const before = earlierValue(graph, earlier?.values, series, place, summary)
  return (
    <>
      <Value widest={widestText(series, locale, t)} className="font-medium">
        {valueText(valueAt(graph, series, place, summary), series, locale, t, reporting)}
      </Value>
      {earlier && before !== undefined && (
        <span className="flex gap-x-1 font-normal text-muted">
          {t(`chart.before.${earlier.before}`)}
          <Value widest={widestText(series, locale, t)}>
            {valueText(before, series, locale, t, reporting)}
          </Value>
        </span>
      )}
    </>
  )
}

type ValueProps = { widest: string; className?: string; children: string }

const Value = ({ widest, className, children }: ValueProps) => (
  <span
    data-widest={widest}
    className={cn(
      'num inline-block text-left whitespace-nowrap after:invisible after:block after:h-0 after:overflow-hidden after:content-[attr(data-widest)]',
      className,
    )}
  >
    {children}
  </span>
)
