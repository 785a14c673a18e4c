import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { energyQuery, type Graph, graphQuery } from '@/lib/data/charts'
import { type Energies, type EnergyChart, energiesOf, totalsOf } from '@/lib/energy'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { type SiteDay, siteDayOf } from '@/lib/site-day'
import { type Earlier, SmallChart, type SmallRow } from './components/small-chart'
import { SmallSelect } from './components/small-select'
import { alignedTo, type Before, upToNow } from './model/before'
import {
  beforesOf,
  daysBefore,
  daysOf,
  earlierRows,
  PERIODS,
  type Period,
  SMALL_CHARTS,
  sumOf,
} from './model/small'

/** Totals of grid, battery, PV, consumption and production, with a bar per hour, day, month or year. */
export function SmallCharts() {
  const { t } = useT()
  const [period, setPeriod] = useState<Period>('week')
  /** A phone shows the totals of the house first. */
  const [bars, setBars] = useState(false)
  /** What the charts are held against, where the period has it. */
  const [wanted, setWanted] = useState<Before | null>(null)
  const { sn } = useSelection()
  const { data: live } = useLive()
  const timeZone = sn === null ? undefined : live?.entries[sn]?.time_zone
  const today = siteDayOf(Date.now() + (live?.skew ?? 0), timeZone)
  const { data, error, isFetching, refetch } = useQuery({
    ...energyQuery(sn ?? '', daysOf(period, today)),
    enabled: sn !== null,
  })
  const hoursQuery = (day: SiteDay) =>
    graphQuery(
      { sn: sn ?? '', interval: 'Day', date: day, resolution: 'hour', method: 'mean', series: HOURS },
      true,
    )
  const hours = useQuery({ ...hoursQuery(today), enabled: sn !== null && period === 'day' }).data
  const before = beforesOf(period).find((one) => one === wanted) ?? null
  const earlier = useEarlier({ sn, period, today, before, hours, hoursQuery, count: data?.rows.length ?? 0 })
  return (
    <section aria-labelledby="small-charts" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 id="small-charts" className="card-heading">
          {t('small.title')}
        </h2>
        {beforesOf(period).length > 0 && (
          <div className={cn('sm:ml-auto', !bars && 'max-sm:hidden')}>
            <SmallSelect
              label={t('chart.before')}
              value={before ?? 'none'}
              options={(['none', ...beforesOf(period)] as const).map((value) => ({
                value,
                label: t(`chart.before.${value}`),
              }))}
              onChange={(value) => setWanted(value === 'none' ? null : value)}
            />
          </div>
        )}
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
                earlier={earlier}
                timeZone={timeZone}
              />
            ) : (
              <Skeleton
                key={`${chart.title} waiting`}
                className={cn('h-16.5 sm:h-49 xl:col-span-2', !chart.house && 'max-sm:hidden')}
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

const HOURS = ['m2', 'm2N', 'm4', 'm5', 'm5N']

type EarlierParameters = {
  sn: string | null
  period: Period
  today: SiteDay
  before: Before | null
  /** Today's, whose hours those of the day before stand beside. */
  hours: Graph | undefined
  hoursQuery: (day: SiteDay) => ReturnType<typeof graphQuery>
  count: number
}

/** The same part of the period before; null until it is there. */
function useEarlier({
  sn,
  period,
  today,
  before,
  hours,
  hoursQuery,
  count,
}: EarlierParameters): Earlier | null {
  const { first, last } = daysBefore(period, today, before ?? 'year')
  const asks = sn !== null && before !== null
  const days = useQuery({
    ...energyQuery(sn ?? '', `${first}_${last}`),
    enabled: asks && period !== 'day',
  }).data
  const day = useQuery({
    ...hoursQuery(last),
    placeholderData: undefined,
    enabled: asks && period === 'day',
  }).data
  if (!asks) return null
  if (period === 'day') {
    if (!hours || !day) return null
    const series = upToNow(alignedTo(hours, day), hours)
    const rows = hoursOf({ ...hours, series }).map(({ energies }) => energies)
    return { rows, total: sumOf(rows) }
  }
  if (!days) return null
  const rows = rowsOf(days).map(({ time, energies }) => ({ time: String(time), energies }))
  return { rows: earlierRows(period, rows, count), total: totalsOf(days) }
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
