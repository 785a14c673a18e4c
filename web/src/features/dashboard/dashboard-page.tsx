import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { InForceList } from '@/components/in-force/in-force-list'
import { type InForce, inForceOf } from '@/components/in-force/model'
import { LIVE_COLUMNS, LiveValues } from '@/components/live/live-values'
import type { Reading } from '@/components/live/model/reading'
import { useCurrentValues } from '@/components/live/use-current-values'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { CARD_HEIGHT } from '@/components/ui/card-height'
import { Skeleton } from '@/components/ui/skeleton'
import { ApiError, errorText } from '@/lib/api/errors'
import { LIVE_MAX_AGE } from '@/lib/constants'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS, type LiveEntry } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { useNow } from '@/lib/use-now'
import { Shortcuts } from './shortcuts'
import { useNotices } from './use-notices'

type Props = {
  /** The worst alarm. */
  alarms: (entry: LiveEntry) => ReactNode
  /** The button that ends an effect. */
  endInForce: (one: InForce, sn: string) => ReactNode
  /** Pending decisions about access. */
  decisions: ReactNode
  /** The bad-weather notice. */
  weather: ReactNode
  /** What the energy costs and earns. */
  money: ReactNode
  /** The big chart. */
  chart: ReactNode
  /** The charge plan. */
  plan: ReactNode
  /** The battery's messages. */
  messages: (reading: Reading) => ReactNode
  /** The small charts. */
  energy: ReactNode
  /** The owner's systems. */
  systems: ReactNode
  /** Forecast, updates and access. */
  outlook: ReactNode
}

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

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
  const { sn } = useSelection()
  const { data: live, error, isFetching, failureCount, refetch } = useLive()
  const entry = sn === null ? undefined : live?.entries[sn]
  const notices = useNotices(entry)
  const skew = live?.skew ?? 0
  const measuredAt = entry?.measured_at ?? null
  // Exact to the millisecond, so that an old value is never drawn as live.
  const tooOldAt = measuredAt === null ? null : measuredAt + LIVE_MAX_AGE + 1 - skew
  const now = useNow(AGE_CHECK, tooOldAt) + skew
  return (
    <div className="grid gap-4 lg:gap-5">
      <h1 className="sr-only">{t('nav.dashboard')}</h1>
      {error && (
        <LiveDataFailed
          error={error}
          known={entry !== undefined}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {entry && notices?.alarm && alarms(entry)}
      {notices?.decisions && decisions}
      {notices?.weather && weather}
      {sn !== null && entry && notices ? (
        <CurrentValues
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
        <Loading key="waiting" busy={!error} />
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[8fr_5fr] lg:gap-5">
        {systems}
        {outlook}
      </div>
    </div>
  )
}

type CurrentValuesProps = Omit<Props, 'alarms' | 'decisions' | 'weather' | 'systems' | 'outlook'> & {
  sn: string
  entry: LiveEntry
  updating: boolean
  skew: number
  now: number
}

function CurrentValues(props: CurrentValuesProps) {
  const { sn, entry, updating, skew, now, endInForce, money, chart, plan, messages, energy } = props
  const values = useCurrentValues({ sn, entry, skew, now })
  const capacity = useCapacity(sn)
  return (
    <>
      <LiveValues
        sn={sn}
        values={values}
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
      >
        <div className="min-w-0 lg:col-span-2">{money}</div>
      </LiveValues>
      {chart}
      {plan}
      {messages(values.reading)}
      {energy}
    </>
  )
}

type LiveDataFailedProps = {
  error: unknown
  /** Last values are available. */
  known: boolean
  busy: boolean
  onRetry: () => void
}

/** Live data cannot be loaded. Without a network the app retries by itself. */
function LiveDataFailed({ error, known, busy, onRetry }: LiveDataFailedProps) {
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

/** Usable Wh of the selected systems; null if one of them is unknown. */
function useCapacity(sn: string): number | null {
  const { data } = useQuery(systemsQuery)
  const shown = data?.filter((system) => sn === ALL_SYSTEMS || system.sn === sn) ?? []
  const capacities = shown.map(({ capacity }) => capacity ?? Number.NaN)
  const sum = capacities.reduce((total, capacity) => total + capacity, 0)
  return sum > 0 ? sum : null
}

/** A placeholder of the page's size. */
function Loading({ busy }: { busy: boolean }) {
  return (
    <div className="grid gap-4 lg:gap-5" aria-busy={busy}>
      <div className={LIVE_COLUMNS}>
        <Skeleton className="h-145.75 lg:row-span-2 lg:h-156.25" />
        <Skeleton className="h-125 lg:row-span-2 lg:h-156.25" />
        <Skeleton className={`${CARD_HEIGHT.money} lg:col-span-2`} />
      </div>
      <Skeleton className={CARD_HEIGHT.chart} />
    </div>
  )
}
