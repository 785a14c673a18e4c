import { BellRing, Eye } from 'lucide-react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import type { Alarm } from '../model/row'

type Props = { alarms: readonly Alarm[] }

/** The number of alarms, for the table. Tooltip and screen reader text name them. */
export function AlarmCount({ alarms }: Props) {
  if (alarms.length === 0) return <span className="text-muted">–</span>
  const texts = alarms.map(({ text }) => text)
  return (
    <span title={texts.join('\n')} className="flex items-center gap-1.5 font-medium">
      <Mark alarms={alarms} />
      <span aria-hidden>{alarms.length}</span>
      <span className="sr-only">{texts.join(', ')}</span>
    </span>
  )
}

/** The first alarm as text, and the number of further ones. */
export function AlarmText({ alarms }: Props) {
  const { t } = useT()
  const [first] = alarms
  if (!first) return null
  return (
    <p className={cn('flex min-w-0 items-center gap-2', first.acknowledged && 'text-muted')}>
      <Mark alarms={alarms} />
      <span className="min-w-0">{first.text}</span>
      {alarms.length > 1 && (
        <span className="shrink-0 text-xs text-muted">
          {t('fleet.alarms.more', { count: alarms.length - 1 })}
        </span>
      )}
    </p>
  )
}

/** An eye if all alarms are acknowledged. */
function Mark({ alarms }: Props) {
  const { t } = useT()
  const seen = alarms.every(({ acknowledged }) => acknowledged)
  const Icon = seen ? Eye : BellRing
  return (
    <>
      <Icon aria-hidden className={cn('size-4 shrink-0', seen ? 'text-muted' : 'text-danger')} />
      {seen && <span className="sr-only">{t('fleet.alarms.seen')}</span>}
    </>
  )
}
