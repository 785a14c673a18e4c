import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { useT } from '@/lib/i18n/use-t'
import { journalQuery } from './data'
import { JournalExport } from './journal-export'
import { JournalFilters } from './journal-filters'
import { JournalList } from './journal-list'
import { isFiltered, type JournalFilter, readFilter } from './model'

/** The journal's entries, newest first, ten per page. */
export function JournalCard() {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const filter = useSearch({ strict: false, select: (search: object) => readFilter({ ...search }) })
  const entries = useQuery(journalQuery(filter, locale))
  const show = (next: JournalFilter) => void navigate({ to: '.', search: { part: 'journal', ...next } })
  return (
    <Card
      title={t('journal.title')}
      description={t('journal.text')}
      action={<JournalExport filter={filter} />}
    >
      <JournalFilters filter={filter} onChange={show} />
      <Answer query={entries} failed={t('journal.failed')} waiting={<Skeleton className="h-160" />}>
        {({ lines, page, pages }) => (
          <>
            {lines.length === 0 && (
              <p className="py-8 text-center text-md text-muted">
                {t(isFiltered(filter) ? 'journal.none_such' : 'journal.none')}
              </p>
            )}
            <JournalList lines={lines} />
            <Pagination
              label={t('journal.title')}
              page={page}
              count={pages}
              onChange={(next) => show({ ...filter, page: next })}
            />
          </>
        )}
      </Answer>
    </Card>
  )
}
