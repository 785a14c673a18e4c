import { Link } from '@tanstack/react-router'
import { CloudDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import { useT } from '@/lib/i18n/use-t'
import type { Column } from '../model/columns'
import type { Row } from '../model/row'
import { scopeOf } from '../model/scope'
import { AlarmCount } from './alarm-text'
import { PowerText } from './power-text'
import { SocBar } from './soc-bar'
import { StatusMark } from './status-mark'
import { useContactText } from './use-contact-text'

type Props = { column: Column; row: Row; now: number }

/** What a row says in a column. No hooks here: a screen full of rows has hundreds of cells, and few of them need words. */
export function FleetCell({ column, row, now }: Props): ReactNode {
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
      return <Cut text={row.customer} />
    case 'place':
      return <Cut text={row.place} muted />
    case 'group':
      return <Cut text={row.group} muted />
    case 'soc':
      return <SocBar soc={row.soc} live={row.status !== 'offline' && row.status !== 'stale'} />
    case 'pv':
    case 'house':
    case 'battery':
    case 'grid':
      return (
        <PowerText watts={row[column]} of={column} className={row.status === 'stale' ? 'text-muted' : ''} />
      )
    case 'firmware':
      return (
        <span className="flex items-center justify-end gap-1.5 text-muted">
          {row.updatable && <UpdateMark />}
          {row.firmware}
        </span>
      )
    case 'access':
      return <Access row={row} />
    case 'contact':
      return <Contact row={row} now={now} />
  }
}

function Cut({ text, muted = false }: { text: string; muted?: boolean }) {
  return (
    <span title={text} className={muted ? 'block truncate text-muted' : 'block truncate'}>
      {text || '–'}
    </span>
  )
}

function UpdateMark() {
  const { t } = useT()
  return (
    <>
      <CloudDownload aria-hidden className="size-4 shrink-0 text-grid-text" />
      <span className="sr-only">{t('fleet.update_waits')}</span>
    </>
  )
}

function Access({ row }: { row: Row }) {
  const { t } = useT()
  return <span className="text-muted">{t(`fleet.scope.${scopeOf(row.system.access)}`)}</span>
}

function Contact({ row, now }: { row: Row; now: number }) {
  const { t } = useT()
  const { clock } = useContactText(now)
  return (
    <span className="text-muted whitespace-nowrap">
      {row.contact === null ? t('fleet.never') : clock(row.contact)}
    </span>
  )
}
