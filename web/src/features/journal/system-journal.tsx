import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { journalQuery } from './data'
import { JournalList } from './journal-list'

/** The electrician's own entries about one system, newest first. */
export function SystemJournal({ sn }: { sn: string }) {
  const { t, locale } = useT()
  const [page, setPage] = useState(1)
  const entries = useQuery(journalQuery({ sn, page }, locale))
  return (
    <Card title={t('journal.own')} description={t('journal.own.text')}>
      <Answer query={entries} failed={t('journal.failed')} waiting={<Skeleton className="h-40" />}>
        {(journal) => (
          <>
            {journal.lines.length === 0 && <p className="text-md text-muted">{t('journal.own.none')}</p>}
            <JournalList lines={journal.lines} />
            <Pagination
              label={t('journal.own')}
              page={journal.page}
              count={journal.pages}
              onChange={setPage}
            />
          </>
        )}
      </Answer>
    </Card>
  )
}
