import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { type Plan, planQuery } from '@/lib/api/plan-queries'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'
import { NextAct } from './components/next-act'
import { SavedText } from './components/saved-text'
import { standingOf } from './model'

/** What each battery does next, why, and what planning was worth so far. */
export function PlanCard() {
  const { t, locale } = useT()
  const { sn, serials } = useSelection()
  const shown = sn === ALL_SYSTEMS ? serials : sn === null ? [] : [sn]
  const answers = useQueries({ queries: shown.map((serial) => planQuery(serial, locale)) })
  const plans = answers.flatMap(({ data }) => data ?? [])
  const error = answers.find((answer) => answer.error)?.error
  const waiting = answers.some(({ isPending }) => isPending)
  return (
    <Card
      title={t('plan.title')}
      action={
        <Link
          to="/plan"
          search={sn === null ? {} : { sn }}
          className={buttonStyle({ variant: 'outline', size: 's' })}
        >
          {t('plan.show')}
        </Link>
      }
      aria-busy={waiting}
    >
      {waiting && plans.length === 0 && <Skeleton className="h-16" />}
      {error && plans.length === 0 && (
        <Callout tone="danger" title={t('plan.failed')}>
          {errorText(error, t)}
        </Callout>
      )}
      <ul className="grid gap-4">
        {onceIfAlike(plans).map((plan, _, told) => (
          <li key={plan.sn}>
            {told.length > 1 && <h3 className="num mb-1 text-[13px] font-medium text-muted">{plan.sn}</h3>}
            <Told plan={plan} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Systems without a plan for the same reason need the sentence about it only once. */
function onceIfAlike(plans: readonly Plan[]): readonly Plan[] {
  const [first] = plans
  if (!first || standingOf(first) === 'planned') return plans
  return plans.every((plan) => standingOf(plan) === standingOf(first)) ? [first] : plans
}

function Told({ plan }: { plan: Plan }) {
  const { t } = useT()
  const standing = standingOf(plan)
  if (standing !== 'planned') return <p className="max-w-prose text-[14px]">{t(`plan.${standing}.short`)}</p>
  return (
    <div className="grid gap-2">
      <NextAct plan={plan} />
      <SavedText cents={plan.saved} currency={plan.currency} />
    </div>
  )
}
