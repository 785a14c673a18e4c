import { Link } from '@tanstack/react-router'
import { CloudDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import type { Column } from '../model/columns'
import type { Row } from '../model/row'
import { scopeOf } from '../model/scope'
import { AlarmCount } from './alarm-text'
import { PowerText } from './power-text'
import { SocBar } from './soc-bar'
import { StatusMark } from './status-mark'
import { useContactText } from './use-contact-text'

const NUMBERS: readonly Column[] = ['pv', 'battery', 'grid', 'house', 'firmware', 'contact']
export const align = (column: Column) => (NUMBERS.includes(column) ? 'text-right' : 'text-left')

/** Columns that truncate their whole text; the others truncate their parts. */
const CUT: readonly Column[] = ['customer', 'place', 'group', 'access']
const MUTED: readonly Column[] = ['place', 'group', 'firmware', 'access', 'contact']
const POWERS: readonly Column[] = ['pv', 'battery', 'grid', 'house']

type Props = { column: Column; row: Row; now: number }

/**
 * The content of a cell. A screen has hundreds of cells that render at once after a filter click, so they
 * have no hooks and as few elements as possible.
 */
export function FleetCell({ column, row, now }: Props) {
  const muted = MUTED.includes(column) || (row.status === 'stale' && POWERS.includes(column))
  return (
    <td
      title={column === 'customer' || column === 'place' || column === 'group' ? row[column] : undefined}
      className={cn(
        'border-b border-line px-2 whitespace-nowrap last:pr-4',
        align(column),
        CUT.includes(column) && 'cut',
        muted && 'text-muted',
      )}
    >
      {cellContent({ column, row, now })}
    </td>
  )
}

function cellContent({ column, row, now }: Props): ReactNode {
  switch (column) {
    case 'status':
      return <StatusMark row={row} now={now} />
    case 'alarms':
      return <AlarmCount alarms={row.alarms} />
    case 'sn':
      return (
        // The link covers its whole row.
        <Link
          to="/electrician-dashboard/$sn"
          params={{ sn: row.sn }}
          preload={false}
          className="num font-medium after:absolute after:inset-0 hover:underline"
        >
          {row.sn}
        </Link>
      )
    case 'customer':
    case 'place':
    case 'group':
      return row[column] || '–'
    case 'soc':
      return <SocBar soc={row.soc} live={row.status !== 'offline' && row.status !== 'stale'} />
    case 'pv':
    case 'house':
    case 'battery':
    case 'grid':
      return <PowerText watts={row[column]} of={column} />
    case 'firmware':
      return row.updatable ? <Updatable firmware={row.firmware} /> : row.firmware
    case 'access':
      return <Access row={row} />
    case 'contact':
      return <Contact row={row} now={now} />
  }
}

function Updatable({ firmware }: { firmware: string }) {
  const { t } = useT()
  return (
    <span className="flex items-center justify-end gap-1.5">
      <CloudDownload aria-hidden className="size-4 shrink-0 text-grid-text" />
      <span className="sr-only">{t('fleet.update_waits')}</span>
      {firmware}
    </span>
  )
}

function Access({ row }: { row: Row }) {
  const { t } = useT()
  return t(`fleet.scope.${scopeOf(row.system.access)}`)
}

function Contact({ row, now }: { row: Row; now: number }) {
  const { t } = useT()
  const { clock } = useContactText(now)
  return row.contact === null ? t('fleet.never') : clock(row.contact)
}
