import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { FactorField } from './factor-field'
import { checkProof } from './model'

type Props = {
  submit: string
  danger?: boolean
  send: (proof: { password: string; totp: string }) => Promise<unknown>
}

/** Proves the identity with password and code, before the second factor is renewed or removed. */
export function ProveTotp({ submit, danger = false, send }: Props) {
  const { t } = useT()
  const form = useForm({ initial: { password: '', totp: '' }, check: checkProof, send })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <CurrentPasswordField {...form.text('password')} />
      <FactorField {...form.text('totp')} hint={t('totp.code.or_recovery')} />
      <Button
        type="submit"
        variant={danger ? 'danger' : 'primary'}
        busy={form.busy}
        className="sm:justify-self-end"
      >
        {submit}
      </Button>
    </form>
  )
}
