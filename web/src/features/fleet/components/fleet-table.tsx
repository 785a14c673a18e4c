import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo, useMemo, useRef } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { type Chosen, howMany } from '../model/choice'
import type { Column } from '../model/columns'
import type { Row } from '../model/row'
import type { Sort, View } from '../model/view'
import { align, FleetCell } from './fleet-cell'
import { Tick } from './tick'

const ROW_HEIGHT = 40
/** Extra rows outside the visible area, for fast scrolling; each costs time when a filter changes. */
const OVERSCAN = 4

/**
 * The scroller's maximum height (its `max-h`), known without a layout, so that rows exist in the first
 * render.
 */
function room() {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
  return { width: innerWidth, height: Math.max(22 * rem, innerHeight - 17 * rem) }
}

const TICK_WIDTH = 44

/** In pixels; the customer column takes the rest. */
const WIDTH: Record<Column, number> = {
  status: 192,
  alarms: 82,
  sn: 106,
  customer: 112,
  place: 104,
  group: 90,
  soc: 90,
  pv: 62,
  battery: 128,
  grid: 152,
  house: 84,
  firmware: 126,
  access: 92,
  contact: 70,
}

type Props = {
  rows: readonly Row[]
  columns: readonly Column[]
  view: Pick<View, 'sort' | 'descending'>
  now: number
  onSort: (sort: Sort) => void
  chosen: Chosen
  onToggle: (sn: string) => void
  onToggleAll: () => void
}

/** A virtualised table: only visible rows are rendered, spacers keep the height. */
export function FleetTable({ rows, columns, view, now, onSort, chosen, onToggle, onToggleAll }: Props) {
  const { t } = useT()
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    initialRect: room(),
    observeElementRect: (_, tell) => {
      const look = () => tell(room())
      look()
      addEventListener('resize', look)
      return () => removeEventListener('resize', look)
    },
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: (index) => rows[index]?.sn ?? index,
  })
  const items = virtual.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const width = columns.reduce((sum, column) => sum + WIDTH[column], TICK_WIDTH)
  const many = useMemo(
    () =>
      howMany(
        chosen,
        rows.map(({ sn }) => sn),
      ),
    [chosen, rows],
  )
  return (
    <div
      ref={scroller}
      className="card relative contain-content max-h-[max(22rem,calc(100dvh-17rem))] overflow-auto overscroll-contain"
    >
      <table
        aria-rowcount={rows.length + 1}
        className="num w-full table-fixed border-separate border-spacing-0 text-sm"
        style={{ minWidth: width }}
      >
        <caption className="sr-only">{t('nav.fleet')}</caption>
        <colgroup>
          <col style={{ width: TICK_WIDTH }} />
          {columns.map((column) => (
            <col key={column} style={column === 'customer' ? undefined : { width: WIDTH[column] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className="sticky top-0 z-10 border-b border-line bg-surface pl-4 text-left">
              <Tick
                label={t('fleet.choose_all')}
                checked={many === 'all'}
                partly={many === 'some'}
                onChange={onToggleAll}
              />
            </th>
            {columns.map((column) => (
              <Heading key={column} column={column} view={view} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={above} span={columns.length + 1} />
          {items.map(({ index, key }) => {
            const row = rows[index]
            return (
              row && (
                <FleetRow
                  key={key}
                  row={row}
                  place={index + 2}
                  columns={columns}
                  now={now}
                  chosen={chosen.has(row.sn)}
                  onToggle={onToggle}
                />
              )
            )
          })}
          <Gap height={below} span={columns.length + 1} />
        </tbody>
      </table>
    </div>
  )
}

type RowProps = {
  row: Row
  /** The `aria-rowindex`, including the heading. */
  place: number
  columns: readonly Column[]
  now: number
  chosen: boolean
  onToggle: (sn: string) => void
}

/** Memoised: scrolling renders only new rows. */
const FleetRow = memo(function FleetRow({ row, place, columns, now, chosen, onToggle }: RowProps) {
  const { t } = useT()
  return (
    <tr
      aria-rowindex={place}
      className={cn('relative h-10 focus-within:bg-surface-2 hover:bg-surface-2', chosen && 'bg-surface-2')}
    >
      <td className="border-b border-line pl-4">
        <Tick label={t('fleet.choose', { sn: row.sn })} checked={chosen} onChange={() => onToggle(row.sn)} />
      </td>
      {columns.map((column) => (
        <FleetCell key={column} column={column} row={row} now={now} />
      ))}
    </tr>
  )
})

function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height }} className="p-0" />
    </tr>
  )
}

type HeadingProps = { column: Column; view: Pick<View, 'sort' | 'descending'>; onSort: (sort: Sort) => void }

function Heading({ column, view: { sort, descending }, onSort }: HeadingProps) {
  const { t } = useT()
  const sorted = sort === column
  const Icon = descending ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={sorted ? (descending ? 'descending' : 'ascending') : undefined}
      className={cn(
        'sticky top-0 z-10 border-b border-line bg-surface px-0.5 font-medium last:pr-2.5',
        align(column),
      )}
    >
      <button
        type="button"
        onClick={() => onSort(column)}
        className={cn(
          'inline-flex min-h-10 max-w-full items-center gap-0.5 rounded-lg px-1.5',
          sorted ? 'text-text' : 'text-muted hover:text-text',
        )}
      >
        <span className="min-w-0 truncate">{t(`fleet.column.${column}`)}</span>
        {sorted && <Icon aria-hidden className="size-3.5 shrink-0" />}
      </button>
    </th>
  )
}
