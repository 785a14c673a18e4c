import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { errorText } from '@/lib/api/errors'
import { type Plan, planQuery } from '@/lib/data/plan'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'
import { NextAction } from './components/next-action'
import { SavedText } from './components/saved-text'
import { planStateOf } from './model'

/** What each battery does next and why, and what planning has saved so far. */
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
        {withoutDuplicates(plans).map((plan, _, list) => (
          <li key={plan.sn}>
            {list.length > 1 && <h3 className="num mb-1 text-sm font-medium text-muted">{plan.sn}</h3>}
            <PlanSummary plan={plan} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** One plan stands for all if all systems lack a plan for the same reason. */
function withoutDuplicates(plans: readonly Plan[]): readonly Plan[] {
  const [first] = plans
  if (!first || planStateOf(first) === 'planned') return plans
  return plans.every((plan) => planStateOf(plan) === planStateOf(first)) ? [first] : plans
}

function PlanSummary({ plan }: { plan: Plan }) {
  const { t } = useT()
  const state = planStateOf(plan)
  if (state !== 'planned') return <p className="max-w-prose text-md">{t(`plan.${state}.short`)}</p>
  return (
    <div className="grid gap-2">
      <NextAction plan={plan} />
      <SavedText cents={plan.saved} currency={plan.currency} />
    </div>
  )
}
