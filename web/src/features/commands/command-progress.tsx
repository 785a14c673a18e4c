import { CircleAlert, CircleCheck, Clock, LoaderCircle, TimerOff } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { ApiError } from '@/lib/api/errors'
import { cn } from '@/lib/cn'
import { refusalText } from '@/lib/form/refusal-text'
import { formatTime, joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { CommandState } from './use-command'

const STYLES = {
  queued: { icon: Clock, style: 'text-muted' },
  sent: { icon: LoaderCircle, style: 'text-grid-text' },
  done: { icon: CircleCheck, style: 'text-ok' },
  failed: { icon: CircleAlert, style: 'text-danger' },
  expired: { icon: TimerOff, style: 'text-warn' },
} as const

/** The state of the last command; every change is announced. */
export function CommandProgress({ state: { command, name, error, again } }: { state: CommandState }) {
  const { t, locale } = useT()
  const timeZone = useTimeZone(command?.sn)
  if (error)
    return (
      <Callout
        tone="danger"
        title={t('command.not_given')}
        action={
          error instanceof ApiError && error.status === 0 ? (
            <Button variant="outline" size="s" onClick={again}>
              {t('ui.retry')}
            </Button>
          ) : undefined
        }
      >
        {refusalText(error, t, locale)}
      </Callout>
    )
  if (!command || !name) return <div role="status" className="sr-only" />
  const { icon: Icon, style } = STYLES[command.state]
  const begun = () => {
    const { soc, until } = command.args ?? {}
    if (command.state !== 'done') return null
    if (name === 'hold' && until)
      return t('command.hold.done', { time: formatTime(until, { locale, timeZone }) })
    return name === 'charge_to' && soc !== undefined
      ? t('command.charge_to.done', { soc: joinQuantity(percentQuantity(soc, locale)) })
      : null
  }
  // "Restart: done" needs no further text.
  const plain = command.state === 'done' && (command.code === 'ok' || command.text == null)
  const text = () =>
    command.text ??
    t(`command.state.${command.state}.text`, { time: formatTime(command.expires_at, { locale, timeZone }) })
  const more = begun() ?? (plain ? null : text())
  return (
    <div role="status" className="flex gap-3 rounded-xl border border-line bg-bg px-4 py-3 text-md">
      <Icon
        aria-hidden
        className={cn('mt-0.5 size-4.5 shrink-0', style, command.state === 'sent' && 'animate-spin')}
      />
      <div className="min-w-0">
        <p className="font-semibold">
          {t(`command.${name}`)}: <span className={style}>{t(`command.state.${command.state}`)}</span>
        </p>
        {more && <p className="text-muted">{more}</p>}
      </div>
    </div>
  )
}
