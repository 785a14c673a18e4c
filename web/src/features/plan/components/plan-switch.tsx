import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Switch } from '@/components/ui/switch'
import { ApiError } from '@/lib/api/errors'
import { changePlan, type Plan } from '@/lib/data/plan'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'

/** Turns planning on and off, and explains what either means. */
export function PlanSwitch({ plan: { sn, on } }: { plan: Plan }) {
  const { t, locale } = useT()
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (wanted: boolean) => changePlan({ sn, on: String(wanted) }),
    onSuccess: (plan) => notify.toast(t(plan.on ? 'plan.turned_on' : 'plan.turned_off')),
  })
  // The clicked value is shown while the request is pending.
  const shown = isPending ? variables : on
  return (
    <Card title={t('plan.switch.title')}>
      <Switch
        label={t('plan.switch')}
        hint={t(shown ? 'plan.switch.on' : 'plan.switch.off')}
        checked={shown}
        aria-busy={isPending || undefined}
        onChange={({ target }) => !isPending && mutate(target.checked)}
      />
      {error && (
        <Callout
          tone="danger"
          className="mt-3"
          action={
            error instanceof ApiError && error.fields.provider ? (
              <Link
                to="/settings"
                search={{ part: 'prices' }}
                hash="tariff"
                className={buttonStyle({ variant: 'outline', size: 's' })}
              >
                {t('plan.choose_provider')}
              </Link>
            ) : undefined
          }
        >
          {refusalText(error, t, locale)}
        </Callout>
      )}
    </Card>
  )
}
