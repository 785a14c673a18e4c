import { useMutation } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { TimeField } from '@/components/ui/time-field'
import { changePlan, type Plan } from '@/lib/data/plan'
import { refusalText } from '@/lib/form/refusal-text'
import { useForm } from '@/lib/form/use-form'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { readTime } from '@/lib/validation/time'
import { checkChargeTarget } from '../model'
import { usePlanTime } from '../use-plan-time'

/** Asks for a state of charge at a time ("70 % by 18:00"). A target holds once, until its time. */
export function ChargeTargetForm({ plan: { sn, wish: target } }: { plan: Plan }) {
  const { t, locale } = useT()
  const { clock, moment } = usePlanTime(sn)
  const form = useForm({
    initial: { soc: target ? String(target.soc) : '', by: target ? clock(target.by) : '' },
    check: checkChargeTarget,
    send: async ({ soc, by }) => {
      await changePlan({ sn, soc: soc.trim(), by: readTime(by) })
      notify.success(t('plan.wish.saved'))
    },
  })
  const remove = useMutation({
    mutationFn: () => changePlan({ sn, soc: '', by: '' }),
    onSuccess: () => notify.toast(t('plan.wish.dropped')),
  })
  return (
    <Card title={t('plan.wish')} description={t('plan.wish.text')}>
      <form {...form.form} className="grid gap-4">
        {target && (
          <Callout tone="ok" title={t('plan.wish.standing')}>
            {t('plan.wish.stands', {
              soc: joinQuantity(percentQuantity(target.soc, locale)),
              time: moment(target.by),
            })}
          </Callout>
        )}
        <FormProblem form={form} />
        <div className="grid grid-cols-2 gap-3">
          <Field
            {...form.text('soc')}
            label={t('plan.wish.soc')}
            inputMode="numeric"
            placeholder="70"
            autoComplete="off"
          />
          <TimeField {...form.text('by')} label={t('plan.wish.by')} />
        </div>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={form.busy}>
            {t('plan.wish.save')}
          </Button>
          {target && (
            <Button variant="outline" busy={remove.isPending} onClick={() => remove.mutate()}>
              {t('plan.wish.drop')}
            </Button>
          )}
        </div>
        {remove.error && <Callout tone="danger">{refusalText(remove.error, t, locale)}</Callout>}
      </form>
    </Card>
  )
}
