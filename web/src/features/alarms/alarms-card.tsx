import { useState } from 'react'
import { ConcernList } from '@/components/live/concern-list'
import { type Concern, concernsOf } from '@/components/live/model/concerns'
import { readingOf } from '@/components/live/model/reading'
import { Card } from '@/components/ui/card'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS, type Live } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { AlarmExport } from './alarm-export'
import { AlarmList } from './alarm-list'
import { useAlarms } from './use-alarms'

type Props = {
  /** One system; all of them when missing. */
  sn?: string
  /** What to do about it, for the people at home. */
  advice?: boolean
  /** Not where the page has the same. */
  heading?: boolean
}

/** What is wrong and what was, ten at a time: what is open comes first. */
export function AlarmsCard({ sn = ALL_SYSTEMS, advice = false, heading = true }: Props) {
  const { t } = useT()
  const [page, setPage] = useState(1)
  const { data: live } = useLive()
  const { data, error, isFetching, refetch } = useAlarms(sn, page)
  return (
    <Card
      title={heading && t('nav.alarms')}
      description={t('alarms.system.text')}
      aria-label={heading ? undefined : t('nav.alarms')}
      aria-busy={!data && !error}
    >
      {error && <NotLoaded title={t('alarms.failed')} error={error} busy={isFetching} onRetry={refetch} />}
      {!data && !error && <Skeleton key="waiting" className="h-40" />}
      {data?.alarms.length === 0 && <NoAlarms live={live} sn={sn} />}
      {data && <AlarmList key="alarms" alarms={data.alarms} advice={advice} />}
      {data && data.total > 0 && <AlarmExport sn={sn} />}
      {data && <Pagination label={t('nav.alarms')} page={data.page} count={data.pages} onChange={setPage} />}
    </Card>
  )
}

/** How old a value is changes slowly: this often is often enough. */
const AGE_CHECK = 5_000

const isFault = ({ kind }: Concern) => kind === 'fault' || kind === 'flag'

/** "All is well" is said only where it is: an alarm takes its time to open, and a limit is none. */
function NoAlarms({ live, sn }: { live: Live | undefined; sn: string }) {
  const { t } = useT()
  const now = useNow(AGE_CHECK) + (live?.skew ?? 0)
  const entries = Object.entries(live?.entries ?? {})
  const wanted = entries.filter(([one]) => one !== ALL_SYSTEMS && (sn === ALL_SYSTEMS || one === sn))
  const concerned = wanted
    .map(([one, entry]) => ({ sn: one, entry, concerns: concernsOf(readingOf(entry), now) }))
    .filter(({ concerns }) => concerns.length > 0)
  const wrong = concerned.some(({ concerns }) => concerns.some(isFault))
  const well = wanted.length > 0 && concerned.length === 0
  return (
    <div className="py-4 text-center text-[14px] text-muted">
      {!wrong && <p>{t(well ? 'alarms.none' : 'alarms.none_open')}</p>}
      {concerned.map(({ sn: one, entry, concerns }) => (
        <ConcernList
          key={one}
          sn={wanted.length > 1 ? one : undefined}
          concerns={concerns}
          timeZone={entry.time_zone}
          now={now}
        />
      ))}
      {wrong && <p>{t('alarms.none_so_far')}</p>}
    </div>
  )
}
