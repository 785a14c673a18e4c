import type { Graph } from '@/lib/api/chart-queries'
import { useT } from '@/lib/i18n/use-t'
import { SERIES } from '../model/series'
import { SeriesMark } from './series-mark'
import { valueAt, valueText } from './value-text'

type Props = {
  chosen: readonly string[]
  /** Where the values come from; null where each chart says its own. */
  graph: Graph | undefined | null
  /** The point under the cursor; without one the newest value stands beside a name. */
  place: number | null
  onToggle: (code: string) => void
}

/** Every series as a button that adds or removes it; those on the chart show their value. */
export function SeriesChips({ chosen, graph, place, onToggle }: Props) {
  const { t, locale } = useT()
  return (
    <fieldset className="-mx-1 flex min-w-0 flex-wrap gap-1.5 p-1">
      <legend className="sr-only">{t('chart.series')}</legend>
      {SERIES.map((series) => {
        const on = chosen.includes(series.code)
        return (
          <button
            key={series.code}
            type="button"
            aria-pressed={on}
            onClick={() => onToggle(series.code)}
            className="flex min-h-9 shrink-0 items-center gap-2 rounded-full border border-line px-3 text-[12.5px] text-muted transition-colors hover:bg-surface-2 aria-pressed:border-transparent aria-pressed:bg-surface-2 aria-pressed:text-text"
          >
            <SeriesMark series={series} dim={!on} />
            {t(series.label)}
            {on && graph !== null && (
              <span className="num font-medium whitespace-nowrap">
                {valueText(valueAt(graph, series.code, place), series, locale, t)}
              </span>
            )}
          </button>
        )
      })}
    </fieldset>
  )
}
