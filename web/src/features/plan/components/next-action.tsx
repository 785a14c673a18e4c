import type { Plan } from '@/lib/data/plan'
import { useT } from '@/lib/i18n/use-t'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { isUnderWay, nextAction } from '../model'
import { usePlanTime } from '../use-plan-time'
import { ModeMark } from './mode-mark'

/** How often the sentence is updated; a plan changes every quarter. */
const UPDATE_INTERVAL_MS = 30_000

/** One sentence: what the battery does next, and why. */
export function NextAction({ plan }: { plan: Plan }) {
  const { t } = useT()
  const { data: live } = useLive()
  const now = useNow(UPDATE_INTERVAL_MS) + (live?.skew ?? 0)
  const { moment } = usePlanTime(plan.sn)
  const next = nextAction(plan.blocks, now)
  return (
    <div className="flex gap-3">
      <ModeMark mode={next?.mode ?? 'self'} />
      <div className="min-w-0">
        <p className="font-medium">
          {!next && t('plan.next.none')}
          {next &&
            (isUnderWay(next, now)
              ? t(`plan.now.${next.mode}`, { time: moment(next.end) })
              : t(`plan.next.${next.mode}`, { time: moment(next.start) }))}
        </p>
        <p className="max-w-prose text-md text-muted">{next ? next.reason : t('plan.next.none.text')}</p>
      </div>
    </div>
  )
}
