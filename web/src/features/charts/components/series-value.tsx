import { useT } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'
import { type Value, valueText, widestText } from './value-text'

/** The value of a series. It has room for the widest, so that nothing beside it moves with the cursor. */
export function SeriesValue({ series, value }: { series: Series; value: Value }) {
  const { t, locale } = useT()
  return (
    <span
      data-widest={widestText(series, locale, t)}
      className="num inline-block text-left font-medium whitespace-nowrap after:invisible after:block after:h-0 after:overflow-hidden after:content-[attr(data-widest)]"
    >
      {valueText(value, series, locale, t)}
    </span>
  )
}
