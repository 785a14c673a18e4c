import { useMutation } from '@tanstack/react-query'
import { FactorField } from '@/components/totp/factor-field'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { FormProblem } from '@/components/ui/form-problem'
import type { Account } from '@/lib/data/account'
import { refusalText } from '@/lib/form/refusal-text'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { showPasskey } from '@/lib/passkey/browser'
import { knowsPasskeys } from '@/lib/passkey/problem'
import type { Proof } from './data'
import { checkIdentity } from './model'

type Props = {
  account: Account
  submit: string
  danger?: boolean
  send: (proof: Proof) => Promise<unknown>
}

/** Proves the identity again: password and code, or a passkey instead of both. */
export function ProveIdentity({ account: { totp, passkeys }, submit, danger = false, send }: Props) {
  const { t, locale } = useT()
  const takesCode = totp.since !== null
  const form = useForm({
    initial: { password: '', totp: '' },
    check: (values) => checkIdentity(values, takesCode),
    send: ({ password, totp }) => send({ password, totp, passkey: '' }),
  })
  const byPasskey = useMutation({
    mutationFn: async () => send({ totp: '', passkey: await showPasskey() }),
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      {byPasskey.error && <Callout tone="danger">{refusalText(byPasskey.error, t, locale)}</Callout>}
      <CurrentPasswordField {...form.text('password')} />
      {takesCode && <FactorField {...form.text('totp')} hint={t('totp.code.or_recovery')} />}
      <div className="flex flex-wrap gap-3 sm:justify-end">
        {passkeys.length > 0 && knowsPasskeys() && (
          <Button variant="outline" busy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
            {t('passkey.confirm')}
          </Button>
        )}
        <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={form.busy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
