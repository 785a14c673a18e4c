import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleSlash, Clock, LoaderCircle, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { PAGE_SIZE } from '@/lib/constants'
import { formatDateTime, formatVersion } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import { historyQuery, type JobState, type PastUpdate } from './data'

type Props = {
  serials: readonly string[]
  /** The wizard's system. */
  chosen: string | null
}

/** Past versions of the systems, and how each update ended. */
export function HistoryCard({ serials, chosen }: Props) {
  const { t } = useT()
  const [looked, setLooked] = useState<string | null>(null)
  const sn = looked ?? chosen ?? serials[0]
  return (
    <Card title={t('update.history')}>
      {serials.length > 1 && (
        <div className="mb-4">
          <Select
            name="history_sn"
            label={t('update.history.system')}
            value={sn ?? ''}
            options={serials.map((value) => ({ value, label: value }))}
            onChange={({ target }) => setLooked(target.value)}
          />
        </div>
      )}
      {sn ? <History key={sn} sn={sn} /> : <Skeleton className="h-24" />}
    </Card>
  )
}

function History({ sn }: { sn: string }) {
  const { t, locale } = useT()
  const query = useQuery(historyQuery(sn, locale))
  const [page, setPage] = useState(1)
  return (
    <Answer query={query} failed={t('update.history.failed_to_load')} waiting={<Skeleton className="h-24" />}>
      {(history) => {
        const shown = pageOf(history, page, PAGE_SIZE)
        if (history.length === 0) return <p className="text-md text-muted">{t('update.history.none')}</p>
        return (
          <>
            <ol className="divide-y divide-line">
              {shown.items.map((past) => (
                <PastRow key={`${past.started_at} ${past.type} ${past.version}`} sn={sn} past={past} />
              ))}
            </ol>
            <Pagination
              label={t('update.history')}
              page={shown.current}
              count={pageCount(history.length, PAGE_SIZE)}
              onChange={setPage}
            />
          </>
        )
      }}
    </Answer>
  )
}

const STYLES: Record<JobState, { icon: LucideIcon; mark: string }> = {
  waiting: { icon: Clock, mark: 'text-muted' },
  waits_for_switch: { icon: Clock, mark: 'text-warn' },
  running: { icon: LoaderCircle, mark: 'text-grid-text' },
  interrupted: { icon: CircleAlert, mark: 'text-warn' },
  done: { icon: CircleCheck, mark: 'text-ok' },
  failed: { icon: CircleAlert, mark: 'text-danger' },
  cancelled: { icon: CircleSlash, mark: 'text-muted' },
  expired: { icon: CircleSlash, mark: 'text-muted' },
}

function PastRow({ sn, past }: { sn: string; past: PastUpdate }) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(sn)
  const { icon: Icon, mark } = STYLES[past.state]
  return (
    <li className="flex gap-3 py-3 text-md first:pt-0 last:pb-0">
      <Icon aria-hidden className={cn('mt-0.5 size-4.5 shrink-0', mark)} />
      <div className="min-w-0">
        <p className="num font-medium">
          {t(`update.part.${past.type}`)}{' '}
          {t('update.from_to', { from: formatVersion(past.from_version), to: formatVersion(past.version) })}
        </p>
        <p className="num mt-0.5 text-sm text-muted">
          {t(`update.history.${past.state}`)}{' '}
          <time>{formatDateTime(past.ended_at ?? past.started_at, { locale, timeZone })}</time>
        </p>
        {past.error && <p className="mt-0.5 text-sm wrap-anywhere">{past.error.text}</p>}
      </div>
    </li>
  )
}
