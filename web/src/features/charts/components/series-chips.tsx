import { useState } from 'react'
import { cn } from '@/lib/cn'
import type { Graph } from '@/lib/data/charts'
import { useT } from '@/lib/i18n/use-t'
import type { Earlier } from '../model/before'
import { SERIES } from '../model/series'
import type { Summary } from '../model/summary'
import { SeriesMark } from './series-mark'
import { SeriesValue } from './series-value'

type Props = {
  chosen: readonly string[]
  /** The source of the values; null if each chart shows its own. */
  graph: Graph | undefined | null
  /** The index of the point at the cursor; without one the summary is shown. */
  place: number | null
  summary: Summary
  earlier: Earlier | undefined
  /** The id of the values' description. */
  describedBy: string
  onToggle: (code: string) => void
}

const CHIP =
  'flex min-h-9 max-w-full flex-wrap items-center gap-x-2 rounded-[1.125rem] border border-line px-3 text-chip text-muted transition-colors hover:bg-surface-2'

/** A toggle button for every series; active ones show their value. On a phone inactive ones are collapsed. */
export function SeriesChips({ chosen, graph, place, summary, earlier, describedBy, onToggle }: Props) {
  const { t } = useT()
  const [all, setAll] = useState(false)
  const others = SERIES.length - chosen.length
  return (
    <fieldset
      aria-describedby={describedBy}
      className="-mx-1 grid min-w-0 grid-cols-[repeat(auto-fill,minmax(min(100%,9.5em),1fr))] gap-1.5 p-1 sm:flex sm:flex-wrap"
    >
      <legend className="sr-only">{t('chart.series')}</legend>
      {SERIES.map((series) => {
        const on = chosen.includes(series.code)
        return (
          <button
            key={series.code}
            type="button"
            aria-pressed={on}
            onClick={() => onToggle(series.code)}
            className={cn(
              CHIP,
              'aria-pressed:border-transparent aria-pressed:bg-surface-2 aria-pressed:text-text',
              !on && !all && 'max-sm:hidden',
            )}
          >
            <SeriesMark series={series} dim={!on} />
            {t(series.label)}
            {on && graph !== null && (
              <SeriesValue series={series} graph={graph} place={place} summary={summary} earlier={earlier} />
            )}
          </button>
        )
      })}
      {others > 0 && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className={cn(CHIP, 'sm:hidden')}
        >
          {t(all ? 'chart.fewer_series' : 'chart.more_series', { count: others })}
        </button>
      )}
    </fieldset>
  )
}
