import { useT } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'
import { type Value, valueText, widestText } from './value-text'

/** The value of a series. It has room for the widest, so that nothing beside it moves with the cursor. */
export function SeriesValue({ series, value }: { series: Series; value: Value }) {
  const { t, locale } = useT()
  return (
    <span className="num grid font-medium whitespace-nowrap *:col-start-1 *:row-start-1">
      <span aria-hidden className="invisible">
        {widestText(series, locale, t)}
      </span>
      <span>{valueText(value, series, locale, t)}</span>
    </span>
  )
}
