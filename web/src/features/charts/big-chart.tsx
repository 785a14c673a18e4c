import { useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { ChartControls } from './components/chart-controls'
import { ChartFiles } from './components/chart-files'
import { ChartTable } from './components/chart-table'
import { CHART_HEIGHT, ChartView } from './components/chart-view'
import { DateSteps } from './components/date-steps'
import { SeriesChips } from './components/series-chips'
import { INTERVALS, withInterval, withToggled } from './model/choice'
import { seriesOf } from './model/series'
import type { PlotHandle } from './plot/plot'
import { useChart } from './use-chart'

/** The big chart with everything that chooses what it shows. The address keeps the choice. */
export function BigChart() {
  const { t, locale } = useT()
  const { sn, choice, search, today, request, query, change } = useChart()
  const { data: graph, error, isFetching, refetch } = query
  const [place, setPlace] = useState<number | null>(null)
  const [zoomed, setZoomed] = useState(false)
  const plot = useRef<PlotHandle>(null)
  const series = seriesOf(choice.series)
  const title = `${t('chart.title')}, ${formatPeriod(choice.date, choice.interval, locale)}`
  const none = choice.series.length === 0 || sn === null
  return (
    <section aria-labelledby="chart" className="card min-w-0 p-4 sm:p-5">
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h2 id="chart" className="text-[15px] font-semibold">
          {t('chart.title')}
        </h2>
        <DateSteps choice={choice} today={today} onChange={(date) => change({ ...search, date })} />
        <Segmented
          label={t('chart.range')}
          value={choice.interval}
          options={INTERVALS.map((value) => ({ value, label: t(`chart.range.${value}`) }))}
          onChange={(range) => change(withInterval(search, range))}
          className="order-last w-full sm:order-none sm:ml-auto sm:w-auto"
        />
        <ChartFiles request={request} title={title} plot={plot} className="ml-auto sm:ml-0" />
      </div>
      <SeriesChips
        chosen={choice.series}
        graph={none ? undefined : graph}
        place={place}
        onToggle={(code) => change(withToggled(search, choice, code))}
      />
      <div className="mt-2" aria-busy={!graph && !error && !none}>
        {none && (
          <p className="grid h-[300px] place-items-center text-[14px] text-muted">
            {t(sn === null ? 'chart.empty' : 'chart.none')}
          </p>
        )}
        {!none && error && !graph && (
          <Callout
            tone="danger"
            title={t('chart.failed')}
            action={
              <Button variant="outline" size="s" busy={isFetching} onClick={() => void refetch()}>
                {t('ui.retry')}
              </Button>
            }
          >
            {errorText(error, t)}
          </Callout>
        )}
        {!none && !graph && !error && <Skeleton key="waiting" className={CHART_HEIGHT} />}
        {!none && graph && choice.table && (
          <ChartTable key="table" graph={graph} series={series} title={title} />
        )}
        {!none && graph && !choice.table && (
          <ChartView
            key="view"
            ref={plot}
            graph={graph}
            series={series}
            title={title}
            onCursor={setPlace}
            onZoomed={setZoomed}
          />
        )}
      </div>
      <ChartControls choice={choice} search={search} onChange={change} plot={plot} zoomed={zoomed} />
    </section>
  )
}
