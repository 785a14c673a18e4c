import { CircleCheck, CircleHelp, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react'
import { cn } from '@/lib/cn'
import { formatDateTime } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { SystemSettings } from '../model/fields'

const STYLES = {
  unknown: { icon: CircleHelp, style: 'text-muted' },
  waiting: { icon: CloudOff, style: 'text-warn' },
  sent: { icon: LoaderCircle, style: 'text-grid-text' },
  applied: { icon: CircleCheck, style: 'text-ok' },
  refused: { icon: TriangleAlert, style: 'text-warn' },
} as const

/** The state of the last save; every change is announced. */
export function StateLine({ system, named }: { system: SystemSettings; named: boolean }) {
  const { t, locale } = useT()
  const { sn, state, reported_at, changed_at, changed_by } = system
  const { icon: Icon, style } = STYLES[state]
  const timeZone = useTimeZone(sn)
  const moment = (ms: number) => formatDateTime(ms, { locale, timeZone })
  return (
    <div role="status" className="flex gap-3 text-md">
      <Icon
        aria-hidden
        className={cn('mt-0.5 size-4.5 shrink-0', style, state === 'sent' && 'animate-spin')}
      />
      <div className="min-w-0">
        <p>
          {named && <span className="num mr-2 font-semibold break-all">{sn}</span>}
          <strong className={cn('font-semibold', style)}>{t(`settings.state.${state}`)}</strong>{' '}
          {t(`settings.state.${state}.text`)}
        </p>
        <p className="num text-sm text-muted">
          {[
            changed_at && t('settings.changed', { time: moment(changed_at), by: changed_by ?? 'portal' }),
            reported_at && t('settings.reported', { time: moment(reported_at) }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
    </div>
  )
}
