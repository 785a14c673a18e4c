import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { JournalList } from './journal-list'
import { journalQuery } from './journal-query'

/** What an electrician has done at one system, newest first. */
export function SystemJournal({ sn }: { sn: string }) {
  const { t, locale } = useT()
  const [page, setPage] = useState(1)
  const { data, error, isFetching, refetch } = useQuery(journalQuery({ sn, page }, locale))
  const journal = typeof data === 'object' ? data : undefined
  return (
    <Card title={t('journal.own')} description={t('journal.own.text')} aria-busy={!journal && !error}>
      {error && (
        <Callout
          tone="danger"
          title={t('journal.failed')}
          action={
            <Button variant="outline" size="s" busy={isFetching} onClick={() => void refetch()}>
              {t('ui.retry')}
            </Button>
          }
        >
          {refusalText(error, t, locale)}
        </Callout>
      )}
      {!journal && !error && <Skeleton key="waiting" className="h-40" />}
      {journal?.lines.length === 0 && <p className="text-[14px] text-muted">{t('journal.own.none')}</p>}
      {journal && <JournalList key="lines" lines={journal.lines} />}
      {journal && (
        <Pagination label={t('journal.own')} page={journal.page} count={journal.pages} onChange={setPage} />
      )}
    </Card>
  )
}
