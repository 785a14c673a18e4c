import { useMutation } from '@tanstack/react-query'
import { Check, CircleCheck, Eye, type LucideIcon, TriangleAlert } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Alarm, acknowledge } from './api'
import { type AlarmState, stateOf } from './model'

const LOOK: Record<AlarmState, { icon: LucideIcon; mark: string }> = {
  open: { icon: TriangleAlert, mark: 'text-danger' },
  seen: { icon: Eye, mark: 'text-warn' },
  over: { icon: CircleCheck, mark: 'text-ok' },
}

type Props = {
  alarms: readonly Alarm[]
  /** Whose it is and what to do about it are for people at home; an electrician knows. */
  advice: boolean
}

export function AlarmList({ alarms, advice }: Props) {
  return (
    <ol className="divide-y divide-line">
      {alarms.map((alarm) => (
        <AlarmRow key={alarm.id} alarm={alarm} advice={advice} />
      ))}
    </ol>
  )
}

function AlarmRow({ alarm, advice }: { alarm: Alarm; advice: boolean }) {
  const { t, locale } = useT()
  const { sn, text, next, since, closed_at, acknowledged_at, acknowledged_by } = alarm
  const state = stateOf(alarm)
  const { icon: Icon, mark } = LOOK[state]
  const clock = (ms: number) => formatDateTime(ms, { locale, timeZone: alarm.time_zone })
  return (
    <li className="flex gap-3 py-3.5 text-[14px]">
      <Icon aria-hidden className={cn('mt-0.5 size-4.5 shrink-0', mark)} />
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-2 sm:grid-cols-[1fr_auto] sm:items-start">
        <div className="min-w-0">
          <p className={cn('wrap-anywhere', state !== 'over' && 'font-medium')}>{text}</p>
          {advice && state !== 'over' && <p className="mt-0.5 text-muted">{next}</p>}
          <p className="num mt-0.5 flex flex-wrap gap-x-2 text-[13px] text-muted">
            <span className={mark}>{t(`alarms.state.${state}`)}</span>
            <span>· {sn}</span>
            <span>
              ·{' '}
              {closed_at === null
                ? t('alarms.since', { time: clock(since) })
                : t('alarms.between', { from: clock(since), to: clock(closed_at) })}
            </span>
            {acknowledged_at !== null && (
              <span>
                · {t('alarms.seen_by', { who: acknowledged_by ?? '–', time: clock(acknowledged_at) })}
              </span>
            )}
          </p>
        </div>
        {alarm.acknowledgeable && <Acknowledge alarm={alarm} />}
      </div>
    </li>
  )
}

/** Says that somebody takes care. The alarm itself ends when the fault does. */
function Acknowledge({ alarm: { id, sn, text } }: { alarm: Alarm }) {
  const { t } = useT()
  const { mutate, isPending } = useMutation({
    mutationFn: () => acknowledge(id),
    onError: () => notify.error(t('alarms.not_acknowledged')),
  })
  return (
    <Button
      variant="outline"
      size="s"
      className="justify-self-start"
      busy={isPending}
      aria-label={t('alarms.acknowledge_label', { text, sn })}
      onClick={() => mutate()}
    >
      <Check aria-hidden className="size-4" />
      {t('alarms.acknowledge')}
    </Button>
  )
}
