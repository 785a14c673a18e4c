import { useState } from 'react'
import { readingOf } from '@/components/live/model/reading'
import { type StatusWarning, statusWarningsOf } from '@/components/live/model/status-warnings'
import { StatusWarningList } from '@/components/live/status-warning-list'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
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
  /** One system; all of them by default. */
  sn?: string
  /** Shows advice, for owners. */
  advice?: boolean
  /** False if the page has the same heading. */
  heading?: boolean
}

/** Open and past alarms, open ones first, ten per page. */
export function AlarmsCard({ sn = ALL_SYSTEMS, advice = false, heading = true }: Props) {
  const { t } = useT()
  const [page, setPage] = useState(1)
  const { data: live } = useLive()
  const alarms = useAlarms(sn, page)
  return (
    <Card
      title={heading && t('nav.alarms')}
      description={t('alarms.system.text')}
      aria-label={heading ? undefined : t('nav.alarms')}
    >
      <Answer query={alarms} failed={t('alarms.failed')} waiting={<Skeleton className="h-40" />}>
        {(data) => (
          <>
            {data.alarms.length === 0 && <NoAlarms live={live} sn={sn} />}
            <AlarmList alarms={data.alarms} advice={advice} />
            {data.total > 0 && <AlarmExport sn={sn} />}
            <Pagination label={t('nav.alarms')} page={data.page} count={data.pages} onChange={setPage} />
          </>
        )}
      </Answer>
    </Card>
  )
}

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

const isFault = ({ kind }: StatusWarning) => kind === 'fault' || kind === 'flag'

/** "All is well" only without any warning: an alarm opens with a delay, and a limit is not an alarm. */
function NoAlarms({ live, sn }: { live: Live | undefined; sn: string }) {
  const { t } = useT()
  const now = useNow(AGE_CHECK) + (live?.skew ?? 0)
  const entries = Object.entries(live?.entries ?? {})
  const wanted = entries.filter(([one]) => one !== ALL_SYSTEMS && (sn === ALL_SYSTEMS || one === sn))
  const concerned = wanted
    .map(([one, entry]) => ({ sn: one, entry, warnings: statusWarningsOf(readingOf(entry), now) }))
    .filter(({ warnings }) => warnings.length > 0)
  const wrong = concerned.some(({ warnings }) => warnings.some(isFault))
  const well = wanted.length > 0 && concerned.length === 0
  return (
    <div className="py-4 text-center text-md text-muted">
      {!wrong && <p>{t(well ? 'alarms.none' : 'alarms.none_open')}</p>}
      {concerned.map(({ sn: one, entry, warnings }) => (
        <StatusWarningList
          key={one}
          sn={wanted.length > 1 ? one : undefined}
          warnings={warnings}
          timeZone={entry.time_zone}
          now={now}
        />
      ))}
      {wrong && <p>{t('alarms.none_so_far')}</p>}
    </div>
  )
}
