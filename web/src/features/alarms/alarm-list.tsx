import { useMutation } from '@tanstack/react-query'
import { Check, CircleCheck, Eye, type LucideIcon, MessageSquare, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { AlarmComments } from './alarm-comments'
import { CommentForm } from './comment-form'
import { type Alarm, acknowledge } from './data'
import { type AlarmState, stateOf } from './model'

const STYLES: Record<AlarmState, { icon: LucideIcon; mark: string }> = {
  open: { icon: TriangleAlert, mark: 'text-danger' },
  seen: { icon: Eye, mark: 'text-warn' },
  dismissed: { icon: CircleCheck, mark: 'text-muted' },
  over: { icon: CircleCheck, mark: 'text-ok' },
}

type Props = {
  alarms: readonly Alarm[]
  /** Shows system and advice, for owners. */
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
  const [writing, setWriting] = useState(false)
  const open = alarm.closed_at === null && alarm.dismissed_at === null
  const state = stateOf(alarm)
  const { icon: Icon, mark } = STYLES[state]
  const clock = (ms: number) => formatDateTime(ms, { locale, timeZone: alarm.time_zone })
  return (
    <li className="flex gap-3 py-3.5 text-md">
      <Icon aria-hidden className={cn('mt-0.5 size-4.5 shrink-0', mark)} />
      <div className="grid min-w-0 flex-1 gap-x-4 gap-y-2 sm:grid-cols-[1fr_auto] sm:items-start">
        <div className="min-w-0">
          <p className={cn('wrap-anywhere', open && 'font-medium')}>{text}</p>
          {advice && open && <p className="mt-0.5 text-muted">{next}</p>}
          <p className="num mt-0.5 flex flex-wrap gap-x-2 text-sm text-muted">
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
            {alarm.dismissed_at !== null && (
              <span>
                ·{' '}
                {t('alarms.dismissed_by', {
                  who: alarm.dismissed_by ?? '–',
                  time: clock(alarm.dismissed_at),
                })}
              </span>
            )}
          </p>
          <AlarmComments comments={alarm.comments} clock={clock} />
        </div>
        <div className="flex flex-wrap gap-2 sm:justify-end">
          {alarm.acknowledgeable && <Acknowledge alarm={alarm} />}
          {alarm.commentable && !writing && (
            <Button
              variant="ghost"
              size="s"
              aria-label={t('alarms.comment_label', { text, sn })}
              onClick={() => setWriting(true)}
            >
              <MessageSquare aria-hidden className="size-4" />
              {t('alarms.comment')}
            </Button>
          )}
        </div>
        {writing && (
          <CommentForm id={alarm.id} open={open} onDone={() => setWriting(false)} className="sm:col-span-2" />
        )}
      </div>
    </li>
  )
}

/** Acknowledges an alarm. The alarm itself ends with its cause. */
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
