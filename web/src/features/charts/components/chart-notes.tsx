import { Suspense } from 'react'
import type { Graph } from '@/lib/data/charts'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { dateBefore } from '../model/before'
import type { Series } from '../model/series'
import type { useChart } from '../use-chart'

/** Loaded on demand, for charts with forecasts. */
const Accuracy = lazyPart(async () => (await import('./forecast-accuracy')).ForecastAccuracy)

type Props = { graphs: readonly Graph[]; series: readonly Series[]; chart: ReturnType<typeof useChart> }

/** Explanations: values below zero, silent systems, and missing data. */
export function ChartNotes({ graphs, series, chart: { choice, search, today } }: Props) {
  const { t, locale } = useT()
  const { table, interval, date, before } = choice
  const signed = series.some(({ words, below }) => words || below)
  const silent = graphs.find(({ reporting, systems }) => reporting > 0 && reporting < systems)
  // The default forecast of today needs no explanation.
  const chosen = search.series !== undefined || date > today
  const forecasts = chosen ? series.filter(({ forecast }) => forecast) : []
  const notes = [
    before &&
      t('chart.before.note', { period: formatPeriod(dateBefore(date, interval, before), interval, locale) }),
    signed && !table && t('chart.signs'),
    silent && t('systems.reporting', { reporting: silent.reporting, systems: silent.systems }),
    isMissing(forecasts, graphs) && t('chart.no_forecast'),
  ].filter((note) => typeof note === 'string')
  return (
    <div className="mt-1 flex min-h-[1.45em] flex-wrap justify-between gap-x-6 text-xs text-muted">
      <p>{notes.join(' · ')}</p>
      {forecasts.length > 0 && graphs.length === 1 && graphs[0] && (
        <Suspense>
          <Accuracy sn={graphs[0].sn} series={forecasts} />
        </Suspense>
      )}
      {!table && <p className="hidden lg:[@media(hover:hover)]:block">{t('chart.mouse')}</p>}
    </div>
  )
}

/** None of the series has a value. */
const isMissing = (series: readonly Series[], graphs: readonly Graph[]) =>
  series.length > 0 &&
  graphs.length > 0 &&
  graphs.every((graph) =>
    series.every(({ code }) => (graph.series[code] ?? []).every((value) => value === null)),
  )
