import { useQuery } from '@tanstack/react-query'
import { LookOnly } from '@/components/access/look-only'
import { Card } from '@/components/ui/card'
import { NotLoaded } from '@/components/ui/not-loaded'
import { PageHeading } from '@/components/ui/page-heading'
import { PagePart } from '@/components/ui/page-part'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import { type Plan, planQuery } from '@/lib/api/plan-queries'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useLiveStream } from '@/lib/live/use-live'
import { useSelection } from '@/lib/selection'
import { useLookOnly } from '@/lib/use-look-only'
import { BlockList } from './components/block-list'
import { NextAct } from './components/next-act'
import { OutcomesCard } from './components/outcomes-card'
import { PlanPicture } from './components/plan-picture'
import { PlanSwitch } from './components/plan-switch'
import { PlanTable } from './components/plan-table'
import { SavingsCard } from './components/savings-card'
import { WishForm } from './components/wish-form'
import { standingOf } from './model'

/** The charge plan of one system: what it does and why, what its people wish, and what came of it. */
export function PlanPage() {
  const { t, locale } = useT()
  useLiveStream()
  const { sn: selected, serials, choose } = useSelection()
  // A plan is one battery's.
  const sn = selected === ALL_SYSTEMS ? (serials[0] ?? null) : selected
  const { data, error, isFetching, refetch } = useQuery({
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
      {!data && error && (
        <NotLoaded title={t('plan.failed')} error={error} busy={isFetching} onRetry={refetch} />
      )}
      {!data && !error && <Waiting />}
      {data && <Whole key={data.sn} plan={data} />}
    </>
  )
}

const columns =
  'grid items-start gap-4 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)] lg:grid-rows-[auto_1fr] lg:gap-5'

function Waiting() {
  return (
    <div className={columns} aria-busy>
      <Skeleton className="h-[520px]" />
      <Skeleton className="h-[420px]" />
    </div>
  )
}

function Whole({ plan }: { plan: Plan }) {
  const { looks } = useLookOnly()
  return (
    <div className={columns}>
      <PagePart>
        <Ahead plan={plan} />
      </PagePart>
      <div className="grid min-w-0 gap-4 lg:row-span-2 lg:gap-5">
        <PagePart>{looks(plan.sn) ? <LookOnly /> : <Wanted plan={plan} />}</PagePart>
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

/** What is planned, or why nothing is. */
function Ahead({ plan }: { plan: Plan }) {
  const { t } = useT()
  const standing = standingOf(plan)
  if (standing !== 'planned')
    return (
      <Card title={t(`plan.${standing}`)}>
        <p className="max-w-prose text-[14px]">{t(`plan.${standing}.text`)}</p>
      </Card>
    )
  return (
    <Card title={t('plan.ahead')}>
      <NextAct plan={plan} />
      <div className="mt-5 grid gap-3">
        <PlanPicture plan={plan} />
        <PlanTable plan={plan} />
      </div>
      <BlockList plan={plan} />
    </Card>
  )
}

/** What the people of the house decide about it. */
function Wanted({ plan }: { plan: Plan }) {
  return (
    <>
      <PlanSwitch plan={plan} />
      {plan.on && <WishForm key={JSON.stringify(plan.wish)} plan={plan} />}
    </>
  )
}
