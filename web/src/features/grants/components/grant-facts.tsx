import { CalendarClock, Check, CircleDashed, CircleHelp, Clock, type LucideIcon } from 'lucide-react'
import { cn } from '@/lib/cn'
import type { GivenGrant, GrantState, HeldGrant } from '@/lib/data/grants'
import { formatLongDate, formatPeriod } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { useTimeZone } from '@/lib/live/use-time-zone'
import type { SiteDay } from '@/lib/site-day'
import { endsSoon, lapsesAt } from '../model'

const STYLES: Record<GrantState, { icon: LucideIcon; mark: string }> = {
  asked: { icon: CircleHelp, mark: 'text-warn' },
  unconfirmed: { icon: CircleHelp, mark: 'text-warn' },
  invited: { icon: CircleDashed, mark: 'text-muted' },
  active: { icon: Check, mark: 'text-ok' },
  ended: { icon: Clock, mark: 'text-muted' },
}

type Props = { grant: GivenGrant | HeldGrant; today: SiteDay }

/** State, scope, last day and origin of a grant. */
export function GrantFacts({ grant, today }: Props) {
  const { t, locale } = useT()
  const { state, scope, origin, since, until_day } = grant
  const timeZone = useTimeZone(grant.sn)
  const { icon: Icon, mark } = STYLES[state]
  const soon = endsSoon(grant, today)
  return (
    <div className="min-w-0 text-sm text-muted">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className={cn('flex items-center gap-1.5 font-medium', mark)}>
          <Icon aria-hidden className="size-4 shrink-0" />
          {t(`grants.state.${state}`)}
        </span>
        <span className="font-medium text-text">{t(`grants.scope.${scope}`)}</span>
        <span className="num break-all">{grant.sn}</span>
      </p>
      <p className="num mt-0.5">
        {state !== 'asked' && (
          <span className={cn(soon && 'font-medium text-warn')}>
            {soon && <CalendarClock aria-hidden className="mr-1.5 inline size-4 align-[-0.1875rem]" />}
            {until_day === null
              ? t('grants.no_end')
              : t(state === 'ended' ? 'grants.ended_on' : 'grants.until_day', {
                  day: formatPeriod(until_day, 'Day', locale),
                })}
          </span>
        )}
        <span>
          {state === 'asked' ? '' : ' · '}
          {t(`grants.origin.${origin}`, {
            date: formatLongDate(since ?? grant.created_at, { locale, timeZone }),
          })}
        </span>
        {state === 'asked' && (
          <span>
            {' · '}
            {t('grants.lapses', { date: formatLongDate(lapsesAt(grant), { locale, timeZone }) })}
          </span>
        )}
      </p>
    </div>
  )
}
