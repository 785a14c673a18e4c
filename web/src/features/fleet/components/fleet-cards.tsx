import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import type { Chosen } from '../model/choice'
import type { Row } from '../model/row'
import { AlarmText } from './alarm-text'
import { PowerText } from './power-text'
import { SocBar } from './soc-bar'
import { StatusMark } from './status-mark'
import { Tick } from './tick'
import { useContactText } from './use-contact-text'

const CARD_HEIGHT = 142
const OVERSCAN = 6

type Props = { rows: readonly Row[]; now: number; chosen: Chosen; onToggle: (sn: string) => void }

/** The fleet on a phone: virtualised cards. */
export function FleetCards({ rows, now, chosen, onToggle }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => CARD_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: offset,
    gap: 10,
    getItemKey: (index) => rows[index]?.sn ?? index,
  })
  return (
    <ul ref={list} className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index]
        return (
          row && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - offset}px)` }}
            >
              <SystemCard row={row} now={now} chosen={chosen.has(row.sn)} onToggle={onToggle} />
            </li>
          )
        )
      })}
    </ul>
  )
}

type CardProps = { row: Row; now: number; chosen: boolean; onToggle: (sn: string) => void }

function SystemCard({ row, now, chosen, onToggle }: CardProps) {
  const { t } = useT()
  const { clock } = useContactText(now)
  const away = row.status === 'offline'
  return (
    <article className={cn('card relative grid gap-2.5 p-4 text-sm', chosen && 'bg-surface-2')}>
      <div className="flex items-start gap-3">
        <Tick
          large
          label={t('fleet.choose', { sn: row.sn })}
          checked={chosen}
          onChange={() => onToggle(row.sn)}
        />
        <div className="min-w-0 flex-1">
          <Link
            to="/electrician-dashboard/$sn"
            params={{ sn: row.sn }}
            preload={false}
            className="block text-lg font-medium wrap-anywhere after:absolute after:inset-0"
          >
            {row.customer || row.sn}
          </Link>
          <p className="num text-muted wrap-anywhere">
            {[row.customer && row.sn, row.place, row.group].filter(Boolean).join(' · ')}
          </p>
        </div>
        <SocBar soc={row.soc} live={row.status !== 'offline' && row.status !== 'stale'} />
      </div>
      <StatusMark row={row} now={now} />
      {row.alarms.length > 0 && <AlarmText alarms={row.alarms} />}
      {away ? (
        <p className="num text-muted">
          {row.contact === null ? t('fleet.never') : t('fleet.last_contact', { time: clock(row.contact) })}
        </p>
      ) : (
        <dl className="num flex flex-wrap gap-x-4 gap-y-1">
          {(['pv', 'battery', 'grid'] as const).map((of) => (
            <div key={of} className="flex items-center gap-1.5">
              <dt className="text-muted">{t(`fleet.column.${of}`)}</dt>
              <dd>
                <PowerText watts={row[of]} of={of} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  )
}
