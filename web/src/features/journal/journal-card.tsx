import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Card } from '@/components/ui/card'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { JournalExport } from './journal-export'
import { JournalFilters } from './journal-filters'
import { JournalList } from './journal-list'
import { journalQuery } from './data'
import { isFiltered, type JournalFilter, readFilter } from './model'

/** The journal's entries, newest first, ten per page. */
export function JournalCard() {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const filter = useSearch({ strict: false, select: (search: object) => readFilter({ ...search }) })
  const { data, error, isFetching, refetch } = useQuery(journalQuery(filter, locale))
  const show = (next: JournalFilter) => void navigate({ to: '.', search: { part: 'journal', ...next } })
  const journal = typeof data === 'object' ? data : undefined
  return (
    <Card
      title={t('journal.title')}
      description={t('journal.text')}
      aria-busy={!journal && !error}
      action={<JournalExport filter={filter} />}
    >
      <JournalFilters filter={filter} onChange={show} />
      {error && <NotLoaded title={t('journal.failed')} error={error} busy={isFetching} onRetry={refetch} />}
      {!journal && !error && <Skeleton key="waiting" className="h-160" />}
      {journal?.lines.length === 0 && (
        <p className="py-8 text-center text-md text-muted">
          {t(isFiltered(filter) ? 'journal.none_such' : 'journal.none')}
        </p>
      )}
      {journal && <JournalList key="lines" lines={journal.lines} />}
      {journal && (
        <Pagination
          label={t('journal.title')}
          page={journal.page}
          count={journal.pages}
          onChange={(page) => show({ ...filter, page })}
        />
      )}
    </Card>
  )
}
