import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { InForceList } from '@/components/in-force/in-force-list'
import { type InForce, inForceOf } from '@/components/in-force/model'
import { FlowCard } from '@/components/live/flow-card'
import { MetricCards } from '@/components/live/metric-cards'
import type { Reading } from '@/components/live/model/reading'
import { TodayCard } from '@/components/live/today-card'
import { usePresent } from '@/components/live/use-present'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { PagePart } from '@/components/ui/page-part'
import { Skeleton } from '@/components/ui/skeleton'
import { ApiError, errorText } from '@/lib/api/errors'
import { systemsQuery } from '@/lib/api/queries'
import { LIVE_MAX_AGE } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS, type LiveEntry } from '@/lib/live/live'
import { useLive, useLiveStream } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { useNow } from '@/lib/use-now'
import { Shortcuts } from './shortcuts'
import { useNotices } from './use-notices'

type Props = {
  /** What is wrong, and what to do about it. */
  alarms: (entry: LiveEntry) => ReactNode
  /** The button that ends what is in force. */
  endInForce: (one: InForce, sn: string) => ReactNode
  /** Somebody waits for the owner's decision about access. */
  decisions: ReactNode
  /** Little sun is expected: the storage may run empty. */
  weather: ReactNode
  /** What the energy costs and earns. */
  money: ReactNode
  /** The big chart. */
  chart: ReactNode
  /** What the battery is going to do. */
  plan: ReactNode
  /** What the battery has reported. */
  messages: (reading: Reading) => ReactNode
  /** The small charts. */
  energy: ReactNode
  /** The owner's systems. */
  systems: ReactNode
  /** What is to come. */
  outlook: ReactNode
}

/** How old a value is changes slowly: this often is often enough. */
const AGE_CHECK = 5_000

/** The flow stands beside the values and today, and money below them all. */
const columns = 'grid gap-4 lg:grid-cols-[minmax(23.75rem,5fr)_8fr] lg:grid-rows-[auto_1fr] lg:gap-5'

export function DashboardPage({
  alarms,
  endInForce,
  decisions,
  weather,
  money,
  chart,
  plan,
  messages,
  energy,
  systems,
  outlook,
}: Props) {
  const { t } = useT()
  useLiveStream()
  const { sn } = useSelection()
  const { data: live, error, isFetching, failureCount, refetch } = useLive()
  const entry = sn === null ? undefined : live?.entries[sn]
  const notices = useNotices(entry)
  const skew = live?.skew ?? 0
  const measuredAt = entry?.measured_at ?? null
  // To the millisecond: what is too old must not be drawn as live a moment longer.
  const tooOldAt = measuredAt === null ? null : measuredAt + LIVE_MAX_AGE + 1 - skew
  const now = useNow(AGE_CHECK, tooOldAt) + skew
  return (
    <div className="grid gap-4 lg:gap-5">
      <h1 className="sr-only">{t('nav.dashboard')}</h1>
      {error && (
        <NoNews error={error} known={entry !== undefined} busy={isFetching} onRetry={() => void refetch()} />
      )}
      {entry && notices?.alarm && alarms(entry)}
      {notices?.decisions && decisions}
      {notices?.weather && weather}
      {sn !== null && entry && notices ? (
        <Now
          key="now"
          sn={sn}
          entry={entry}
          updating={isFetching && failureCount === 0 && !error}
          skew={skew}
          now={now}
          endInForce={endInForce}
          money={money}
          chart={chart}
          plan={plan}
          messages={messages}
          energy={energy}
        />
      ) : (
        <Waiting key="waiting" busy={!error} />
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[8fr_5fr] lg:gap-5">
        {systems}
        {outlook}
      </div>
    </div>
  )
}

type NowProps = Omit<Props, 'alarms' | 'decisions' | 'weather' | 'systems' | 'outlook'> & {
  sn: string
  entry: LiveEntry
  updating: boolean
  skew: number
  now: number
}

function Now(props: NowProps) {
  const { sn, entry, updating, skew, now, endInForce, money, chart, plan, messages, energy } = props
  const { reading, freshness, day, energies, asOf } = usePresent({ sn, entry, skew, now })
  const capacity = useCapacity(sn)
  return (
    <>
      <div className={columns}>
        <div className="grid min-w-0 lg:row-span-2">
          <PagePart>
            <FlowCard
              reading={reading}
              freshness={freshness}
              capacity={capacity}
              updating={updating}
              now={now}
              inForce={
                <InForceList
                  list={inForceOf(entry, now)}
                  timeZone={entry.time_zone}
                  now={now}
                  end={(one) => endInForce(one, sn)}
                  updateOf={sn}
                />
              }
              below={<Shortcuts entry={entry} />}
            />
          </PagePart>
        </div>
        <div className="min-w-0 max-sm:order-last">
          <PagePart>
            <MetricCards
              sn={sn}
              day={day}
              reading={reading}
              freshness={freshness}
              energies={energies}
              energiesAsOf={asOf}
              now={now}
            />
          </PagePart>
        </div>
        <PagePart>
          <TodayCard energies={energies} asOf={asOf} />
        </PagePart>
        <div className="min-w-0 lg:col-span-2">{money}</div>
      </div>
      {chart}
      {plan}
      {messages(reading)}
      {energy}
    </>
  )
}

type NoNewsProps = {
  error: unknown
  /** There are last values to look at. */
  known: boolean
  busy: boolean
  onRetry: () => void
}

/** New values cannot be had. Without a network that is nobody's fault, and it goes on by itself. */
function NoNews({ error, known, busy, onRetry }: NoNewsProps) {
  const { t } = useT()
  const offline = error instanceof ApiError && error.code === 'network'
  return (
    <Callout
      tone="warn"
      title={t(offline ? 'offline.title' : 'live.failed')}
      action={
        <Button variant="outline" size="s" busy={busy} onClick={onRetry}>
          {t('ui.retry')}
        </Button>
      }
    >
      {offline ? t(known ? 'offline.last_values' : 'offline.no_values') : errorText(error, t)}
    </Callout>
  )
}

/** Usable Wh of what is shown. One unknown battery makes the sum unknown. */
function useCapacity(sn: string): number | null {
  const { data } = useQuery(systemsQuery)
  const shown = data?.filter((system) => sn === ALL_SYSTEMS || system.sn === sn) ?? []
  const capacities = shown.map(({ capacity }) => capacity ?? Number.NaN)
  const sum = capacities.reduce((total, capacity) => total + capacity, 0)
  return sum > 0 ? sum : null
}

/** The page before its first values, of the same size. */
function Waiting({ busy }: { busy: boolean }) {
  return (
    <div className="grid gap-4 lg:gap-5" aria-busy={busy}>
      <div className={columns}>
        <Skeleton className="h-[583px] lg:row-span-2 lg:h-[625px]" />
        <Skeleton className="h-[500px] lg:row-span-2 lg:h-[625px]" />
        <Skeleton className="h-[369px] sm:h-[264px] lg:col-span-2" />
      </div>
      <Skeleton className="h-[718px] sm:h-[799px] xl:h-[613px]" />
    </div>
  )
}
