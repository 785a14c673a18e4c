import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import type { Account } from '@/lib/data/account'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { changeAccount } from './change-account'
import { checkEmailChange } from './model'

const EMPTY = { email: '', password: '' }

/** A new address is used after its mailed link was opened. */
export function EmailCard({ account }: { account: Account }) {
  const { t } = useT()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useForm({
    initial: EMPTY,
    check: checkEmailChange,
    send: async ({ email, password }) => {
      setSentTo(null)
      await changeAccount({ email: email.trim(), password })
      setSentTo(email.trim())
      form.reset(EMPTY)
    },
  })
  return (
    <Card title={t('account.email')} description={t('account.email.text', { email: account.email })}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {sentTo ? (
          <Callout>{t('account.email.sent', { email: sentTo })}</Callout>
        ) : (
          account.email_pending && <Callout>{t('account.email.pending')}</Callout>
        )}
        <Field
          {...form.text('email')}
          label={t('account.email.new')}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <CurrentPasswordField {...form.text('password')} />
        <Button type="submit" variant="outline" busy={form.busy} className="justify-self-start">
          {t('account.email.submit')}
        </Button>
      </form>
    </Card>
  )
}
