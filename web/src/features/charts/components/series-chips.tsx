import type { Graph } from '@/lib/api/chart-queries'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { SERIES, type Series } from '../model/series'
import { valueText } from './value-text'

type Props = {
  chosen: readonly string[]
  graph: Graph | undefined
  /** The point under the cursor; without one the newest value stands beside a name. */
  place: number | null
  onToggle: (code: string) => void
}

const LINE = { pv: 'text-pv', grid: 'text-grid', battery: 'text-battery', home: 'text-home' } as const

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
            <Mark series={series} on={on} />
            {t(series.label)}
            {on && (
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

function valueAt(graph: Graph | undefined, code: string, place: number | null) {
  const values = graph?.series[code] ?? []
  return place === null ? values.findLast((value) => value !== null) : values[place]
}

/** Looks like its series: a line, a dashed line for a forecast, a block for energies, hatched below zero. */
function Mark({ series: { colour, unit, forecast, below }, on }: { series: Series; on: boolean }) {
  return (
    <svg aria-hidden width="16" height="10" className={cn('shrink-0', LINE[colour], !on && 'opacity-60')}>
      {unit === 'energy' ? (
        <>
          <rect x="3" width="10" height="10" rx="2" fill="currentColor" fillOpacity={below ? 0.35 : 1} />
          {below && <path d="M3 8l7-8M6 10l7-8" stroke="currentColor" strokeWidth="1.5" />}
        </>
      ) : (
        <path
          d="M0 5H16"
          stroke="currentColor"
          strokeWidth={unit === 'power' ? 2.5 : 1.4}
          strokeDasharray={forecast ? '4 3' : undefined}
        />
      )}
    </svg>
  )
}
