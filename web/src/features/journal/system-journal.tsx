import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '@/components/ui/card'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { JournalList } from './journal-list'
import { journalQuery } from './data'

/** The electrician's own entries about one system, newest first. */
export function SystemJournal({ sn }: { sn: string }) {
  const { t, locale } = useT()
  const [page, setPage] = useState(1)
  const { data, error, isFetching, refetch } = useQuery(journalQuery({ sn, page }, locale))
  const journal = typeof data === 'object' ? data : undefined
  return (
    <Card title={t('journal.own')} description={t('journal.own.text')} aria-busy={!journal && !error}>
      {error && <NotLoaded title={t('journal.failed')} error={error} busy={isFetching} onRetry={refetch} />}
      {!journal && !error && <Skeleton key="waiting" className="h-40" />}
      {journal?.lines.length === 0 && <p className="text-md text-muted">{t('journal.own.none')}</p>}
      {journal && <JournalList key="lines" lines={journal.lines} />}
      {journal && (
        <Pagination label={t('journal.own')} page={journal.page} count={journal.pages} onChange={setPage} />
      )}
    </Card>
  )
}
