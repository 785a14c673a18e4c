import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { energyQuery, type Graph, graphQuery } from '@/lib/api/chart-queries'
import { cn } from '@/lib/cn'
import { type Energies, type EnergyChart, energiesOf, totalsOf } from '@/lib/energy'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { siteDayOf } from '@/lib/site-day'
import { SmallChart, type SmallRow } from './components/small-chart'
import { daysOf, PERIODS, type Period, SMALL_CHARTS } from './model/small'

/** Totals of grid, battery, PV, consumption and production, with a bar per hour, day, month or year. */
export function SmallCharts() {
  const { t } = useT()
  const [period, setPeriod] = useState<Period>('week')
  /** A phone shows the totals of the house first. */
  const [bars, setBars] = useState(false)
  const { sn } = useSelection()
  const { data: live } = useLive()
  const timeZone = sn === null ? undefined : live?.entries[sn]?.time_zone
  const today = siteDayOf(Date.now() + (live?.skew ?? 0), timeZone)
  const { data, error, isFetching, refetch } = useQuery({
    ...energyQuery(sn ?? '', daysOf(period, today)),
    enabled: sn !== null,
  })
  const hours = useQuery({
    ...graphQuery(
      {
        sn: sn ?? '',
        interval: 'Day',
        date: today,
        resolution: 'hour',
        method: 'mean',
        series: ['m2', 'm2N', 'm4', 'm5', 'm5N'],
      },
      true,
    ),
    enabled: sn !== null && period === 'day',
  }).data
  return (
    <section aria-labelledby="small-charts" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="small-charts" className="card-heading">
          {t('small.title')}
        </h2>
        <Segmented
          label={t('small.period')}
          value={period}
          options={PERIODS.map((value) => ({ value, label: t(`small.period.${value}`) }))}
          onChange={setPeriod}
          className="w-full sm:w-auto"
        />
      </div>
      {error && !data ? (
        <NotLoaded title={t('chart.failed')} error={error} busy={isFetching} onRetry={refetch} />
      ) : (
        <div
          className="grid max-sm:card max-sm:divide-y max-sm:divide-line sm:grid-cols-2 sm:gap-3 xl:grid-cols-6"
          aria-busy={!data}
        >
          {SMALL_CHARTS.map((chart) =>
            data ? (
              <SmallChart
                key={chart.title}
                {...chart}
                period={period}
                bars={bars}
                total={totalsOf(data)}
                rows={period === 'day' ? hoursOf(hours) : rowsOf(data)}
                timeZone={timeZone}
              />
            ) : (
              <Skeleton
                key={`${chart.title} waiting`}
                className={cn('h-[66px] sm:h-[196px] xl:col-span-2', !chart.house && 'max-sm:hidden')}
              />
            ),
          )}
        </div>
      )}
      <Button
        variant="ghost"
        size="s"
        aria-expanded={bars}
        className="mt-1 sm:hidden"
        onClick={() => setBars(!bars)}
      >
        {t(bars ? 'small.hide_bars' : 'small.show_bars')}
      </Button>
    </section>
  )
}

const rowsOf = ({ rows }: EnergyChart): SmallRow[] =>
  rows.map((row) => ({
    time: row.de_time ?? row.me_time ?? String(row.year ?? ''),
    energies: energiesOf(row),
  }))

function hoursOf(graph: Graph | undefined): SmallRow[] {
  const value = (code: string, place: number) => graph?.series[code]?.[place]
  const energies = (place: number): Energies =>
    energiesOf({
      m2: value('m2', place),
      m2N: value('m2N', place),
      m4: value('m4', place),
      m5: value('m5', place),
      m5N: value('m5N', place),
    })
  return (graph?.time ?? []).map((time, place) => ({ time, energies: energies(place) }))
}
