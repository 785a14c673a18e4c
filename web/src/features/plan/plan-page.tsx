import { useQuery } from '@tanstack/react-query'
import { LookOnly } from '@/components/access/look-only'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { PageHeading } from '@/components/ui/page-heading'
import { PagePart } from '@/components/ui/page-part'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { type Plan, planQuery } from '@/lib/data/plan'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'
import { useLookOnly } from '@/lib/use-look-only'
import { BlockList } from './components/block-list'
import { ChargeTargetForm } from './components/charge-target-form'
import { NextAction } from './components/next-action'
import { OutcomesCard } from './components/outcomes-card'
import { PlanPicture } from './components/plan-picture'
import { PlanSwitch } from './components/plan-switch'
import { PlanTable } from './components/plan-table'
import { SavingsCard } from './components/savings-card'
import { planStateOf } from './model'

/** The charge plan of one system: the plan with its reasons, the owner's choices, and the results. */
export function PlanPage() {
  const { t, locale } = useT()
  const { sn: selected, serials, choose } = useSelection()
  // A plan belongs to one system; for all systems together the first one is shown.
  const sn = selected === ALL_SYSTEMS ? (serials[0] ?? null) : selected
  const plan = useQuery({
    ...planQuery(sn ?? '', locale),
    enabled: sn !== null,
  })
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <PageHeading aside={serials.length === 1 ? sn : undefined}>{t('plan.title')}</PageHeading>
        {serials.length > 1 && sn !== null && (
          <div className="mb-4 w-full sm:w-56">
            <Select
              label={t('plan.system')}
              value={sn}
              options={serials.map((serial) => ({ value: serial, label: serial }))}
              onChange={({ target }) => choose(target.value)}
            />
          </div>
        )}
      </div>
      <Answer query={plan} failed={t('plan.failed')} waiting={<Loading />}>
        {(data) => <PlanContent key={data.sn} plan={data} />}
      </Answer>
    </>
  )
}

const columns =
  'grid items-start gap-4 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)] lg:grid-rows-[auto_1fr] lg:gap-5'

function Loading() {
  return (
    <div className={columns}>
      <Skeleton className="h-130" />
      <Skeleton className="h-105" />
    </div>
  )
}

function PlanContent({ plan }: { plan: Plan }) {
  const { looks } = useLookOnly()
  return (
    <div className={columns}>
      <PagePart>
        <PlannedCard plan={plan} />
      </PagePart>
      <div className="grid min-w-0 gap-4 lg:row-span-2 lg:gap-5">
        <PagePart>{looks(plan.sn) ? <LookOnly /> : <OwnerChoices plan={plan} />}</PagePart>
        <PagePart>
          <OutcomesCard sn={plan.sn} />
        </PagePart>
      </div>
      <PagePart>
        <SavingsCard sn={plan.sn} currency={plan.currency} />
      </PagePart>
    </div>
  )
}

/** The plan, or the reason why there is none. */
function PlannedCard({ plan }: { plan: Plan }) {
  const { t } = useT()
  const state = planStateOf(plan)
  if (state !== 'planned')
    return (
      <Card title={t(`plan.${state}`)}>
        <p className="max-w-prose text-md">{t(`plan.${state}.text`)}</p>
      </Card>
    )
  return (
    <Card title={t('plan.ahead')}>
      <NextAction plan={plan} />
      <div className="mt-5 grid gap-3">
        <PlanPicture plan={plan} />
        <PlanTable plan={plan} />
      </div>
      <BlockList plan={plan} />
    </Card>
  )
}

/** What the owner decides: planning on or off, and the charge target. */
function OwnerChoices({ plan }: { plan: Plan }) {
  return (
    <>
      <PlanSwitch plan={plan} />
      {plan.on && <ChargeTargetForm key={JSON.stringify(plan.wish)} plan={plan} />}
    </>
  )
}
