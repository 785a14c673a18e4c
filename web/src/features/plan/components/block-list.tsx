import type { Plan } from '@/lib/data/plan'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { isAction } from '../model'
import { usePlanTime } from '../use-plan-time'
import { ModeMark } from './mode-mark'

/** Every block except plain self-consumption, with its reason. */
export function BlockList({ plan }: { plan: Plan }) {
  const { t, locale } = useT()
  const { moment, clock } = usePlanTime(plan.sn)
  const blocks = plan.blocks.filter(isAction)
  return (
    <section aria-labelledby="plan-blocks" className="mt-4 border-t border-line pt-4">
      <h3 id="plan-blocks" className="text-lg font-semibold">
        {t('plan.blocks')}
      </h3>
      {blocks.length === 0 && <p className="mt-2 text-md text-muted">{t('plan.blocks.none')}</p>}
      <ol className="divide-y divide-line">
        {blocks.map((block) => (
          <li key={block.start} className="flex gap-3 py-3">
            <ModeMark mode={block.mode} />
            <div className="min-w-0">
              <p className="num text-md font-medium">
                {t(`plan.mode.${block.mode}`)} · {moment(block.start)}–{clock(block.end)}
                {block.soc !== null && (
                  <span className="font-normal text-muted">
                    {' · '}
                    {t('plan.block.soc', { soc: joinQuantity(percentQuantity(block.soc, locale)) })}
                  </span>
                )}
              </p>
              <p className="max-w-prose text-md text-muted">{block.reason}</p>
            </div>
          </li>
        ))}
      </ol>
      {plan.issued !== null && (
        <p className="mt-2 text-xs text-muted">{t('plan.issued', { time: moment(plan.issued) })}</p>
      )}
    </section>
  )
}
