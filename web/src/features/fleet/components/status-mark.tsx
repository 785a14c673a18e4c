import {
  CircleCheck,
  CirclePause,
  Clock,
  type LucideIcon,
  PowerOff,
  TriangleAlert,
  WifiOff,
} from 'lucide-react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import type { Row, Status } from '../model/row'
import { useContactText } from './use-contact-text'
import { useForceText } from './use-force-text'

const STYLES: Record<Status, { icon: LucideIcon; mark: string }> = {
  fault: { icon: TriangleAlert, mark: 'text-danger' },
  offline: { icon: WifiOff, mark: 'text-muted' },
  stale: { icon: Clock, mark: 'text-warn' },
  off: { icon: PowerOff, mark: 'text-muted' },
  restricted: { icon: CirclePause, mark: 'text-warn' },
  fine: { icon: CircleCheck, mark: 'text-ok' },
}

type Props = { row: Row; now: number; className?: string }

/** A system's status: icon, word and details. */
export function StatusMark({ row, now, className }: Props) {
  const { t } = useT()
  const { span } = useContactText(now)
  const { icon: Icon, mark } = STYLES[row.status]
  const force = useForceText()
  const [first] = row.inForce
  const more = () => {
    if (row.status === 'fault')
      return row.fault ? t(`fleet.fault.${row.fault}`) : (row.alarms[0]?.text ?? null)
    if (row.contact === null) return t('fleet.never')
    if (row.status === 'offline') return row.since === null ? null : span(row.since)
    if ((row.status === 'fine' || row.status === 'off') && first) return force(first)
    return row.off && row.status !== 'off' ? t('fleet.switched_off') : null
  }
  const note = more()
  return (
    <span className={cn('flex min-w-0 items-center gap-2', className)}>
      <Icon aria-hidden className={cn('size-4 shrink-0', mark)} />
      {row.status === 'restricted' && first ? (
        // Truncated with a tooltip, because some texts are long.
        <span title={force(first)} className="cut min-w-0">
          {force(first)}
        </span>
      ) : (
        <span className={cn('shrink-0', row.status === 'fault' && 'font-medium')}>
          {t(`fleet.status.${row.status}`)}
        </span>
      )}
      {note && (
        <span title={note} className="num cut min-w-0 text-xs text-muted">
          {note}
        </span>
      )}
    </span>
  )
}
