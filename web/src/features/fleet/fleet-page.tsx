import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { LayoutDashboard } from 'lucide-react'
import {
  type ReactNode,
  startTransition,
  useCallback,
  useDeferredValue,
  useMemo,
  useOptimistic,
  useState,
} from 'react'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { saveFile } from '@/lib/download'
import { useT } from '@/lib/i18n/use-t'
import { siteDayOf } from '@/lib/site-day'
import { useMedia } from '@/lib/use-media'
import { BulkBar } from './components/bulk-bar'
import { FleetCards } from './components/fleet-cards'
import { FleetTable } from './components/fleet-table'
import { GroupFilter, SearchField, TableTools } from './components/fleet-tools'
import { ListTools } from './components/list-tools'
import { StatusChips } from './components/status-chips'
import { type Chosen, withAll, withToggled } from './model/choice'
import { keepColumns, readColumns } from './model/columns'
import { fleetCsv } from './model/csv'
import type { Row } from './model/row'
import { type FleetSearch, readFleetSearch, viewOf, withChange, withSort } from './model/search'
import { countsOf, filteredRows, foundRows, groupsOf, sortedRows } from './model/view'
import { TaskCard } from './tasks/task-card'
import { useFleet } from './use-fleet'

type Props = {
  /** New firmware for several systems. */
  firmware: (rows: readonly Row[], open: boolean, onClose: () => void) => ReactNode
}

/** Every system that the electrician may see, worst first. */
export function FleetPage({ firmware }: Props) {
  const { t } = useT()
  const { rows, now, systems, live } = useFleet()
  const known = systems.data
  return (
    <>
      {/* On a desk the bar at the top says how many there are. */}
      <PageHeading
        aside={
          known &&
          known.length > 0 && <span className="lg:hidden">{t('top.systems', { count: known.length })}</span>
        }
      >
        {t('nav.fleet')}
      </PageHeading>
      <Problem title={t('systems.failed')} query={systems} />
      <Problem title={t('live.failed')} query={live} />
      <TaskCard className="mb-4" />
      {known?.length === 0 ? (
        <EmptyState
          icon={LayoutDashboard}
          action={
            <Link to="/electrician-settings" hash="grants" className={buttonStyle({ variant: 'outline' })}>
              {t('fleet.to_grants')}
            </Link>
          }
        >
          {t('fleet.empty')}
        </EmptyState>
      ) : rows ? (
        <Fleet key="rows" rows={rows} now={now} firmware={firmware} />
      ) : (
        !systems.error && !live.error && <Waiting key="waiting" />
      )}
    </>
  )
}

function Fleet({ rows, now, firmware }: Props & { rows: readonly Row[]; now: number }) {
  const { t, locale } = useT()
  const navigate = useNavigate()
  const address = useSearch({ strict: false, select: (raw: object) => readFleetSearch({ ...raw }) })
  // A click is answered at once; the address follows.
  const [search, showAtOnce] = useOptimistic(address)
  const { filter, group, sort, descending } = viewOf(search)
  const [typed, setTyped] = useState(search.q ?? '')
  const [columns, setColumns] = useState(readColumns)
  const q = useDeferredValue(typed)
  const wide = useMedia('(min-width: 48rem)')
  const change = (next: FleetSearch) =>
    startTransition(async () => {
      showAtOnce(next)
      await navigate({ to: '.', search: next, replace: true, resetScroll: false })
    })

  // Sorted first: a search or a filter keeps the order, and need not wait for it.
  const sorted = useMemo(() => sortedRows(rows, { sort, descending }), [rows, sort, descending])
  const found = useMemo(() => foundRows(sorted, { q, group }), [sorted, q, group])
  const counts = useMemo(() => countsOf(found), [found])
  const shown = useMemo(() => filteredRows(found, filter), [found, filter])
  const groups = useMemo(() => groupsOf(rows), [rows])
  const [ticked, setTicked] = useState<Chosen>(new Set())
  // What an owner has closed meanwhile is no longer there to be ticked.
  const chosenRows = useMemo(() => rows.filter(({ sn }) => ticked.has(sn)), [rows, ticked])
  const chosen = useMemo(() => new Set(chosenRows.map(({ sn }) => sn)), [chosenRows])
  // The same function at every drawing, so that a row that says the same is not drawn again.
  const toggle = useCallback((sn: string) => setTicked((before) => withToggled(before, sn)), [])
  const toggleAll = () =>
    setTicked(
      withAll(
        chosen,
        shown.map(({ sn }) => sn),
      ),
    )
  const save = (saved: readonly Row[]) => {
    const file = new Blob([fleetCsv(saved, columns, t, locale)], { type: 'text/csv;charset=utf-8' })
    saveFile(file, `suncellar-${siteDayOf(now, undefined)}.csv`)
  }
  return (
    // On a phone the last card is not under what is done with the selection.
    <div className={cn('grid gap-3', chosen.size > 0 && 'max-md:pb-48')}>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          value={typed}
          onChange={(next) => {
            setTyped(next)
            change(withChange(search, { q: next }))
          }}
        />
        <GroupFilter
          groups={groups}
          value={group}
          onChange={(next) => change(withChange(search, { group: next }))}
        />
        <div className="flex-1" />
        <TableTools
          columns={columns}
          onColumns={(next) => {
            setColumns(next)
            keepColumns(next)
          }}
          onSave={shown.length > 0 ? () => save(shown) : null}
        />
      </div>
      <StatusChips
        counts={counts}
        filter={filter}
        onChange={(show) => change(withChange(search, { show }))}
      />
      {!wide && (
        <ListTools
          shown={shown}
          chosen={chosen}
          view={{ sort, descending }}
          onSort={(next) => change(withChange(search, next))}
          onToggleAll={toggleAll}
        />
      )}
      {chosen.size > 0 && (
        <BulkBar
          chosen={chosen}
          rows={chosenRows}
          firmware={firmware}
          onSave={() => save(sortedRows(chosenRows, { sort, descending }))}
          onClear={() => setTicked(new Set())}
        />
      )}
      <p role="status" className="sr-only">
        {t('fleet.shown', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <p className="card px-6 py-14 text-center text-lg text-muted">{t('fleet.none_such')}</p>
      ) : wide ? (
        <FleetTable
          rows={shown}
          columns={columns}
          view={{ sort, descending }}
          now={now}
          onSort={(next) => change(withSort(search, next))}
          chosen={chosen}
          onToggle={toggle}
          onToggleAll={toggleAll}
        />
      ) : (
        <FleetCards rows={shown} now={now} chosen={chosen} onToggle={toggle} />
      )}
    </div>
  )
}

type QueryState = { error: unknown; isFetching: boolean; refetch: () => unknown }

/** What could not be had, and the way to ask again. What is known stays on screen. */
function Problem({ title, query: { error, isFetching, refetch } }: { title: string; query: QueryState }) {
  const { t } = useT()
  if (!error) return null
  return (
    <Callout
      tone="warn"
      title={title}
      className="mb-4"
      action={
        <Button variant="outline" size="s" busy={isFetching} onClick={() => void refetch()}>
          {t('ui.retry')}
        </Button>
      }
    >
      {errorText(error, t)}
    </Callout>
  )
}

/** As large as the tools and the table will be. */
function Waiting() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <Skeleton className="h-10" />
      <Skeleton className="h-11" />
      <Skeleton className="h-[max(22rem,calc(100dvh-17rem))]" />
    </div>
  )
}
