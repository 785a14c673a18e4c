import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { FormProblem } from '@/components/ui/form-problem'
import { NewPasswordFields } from '@/components/ui/new-password-fields'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { changeAccount } from './change-account'
import { checkPasswordChange } from './model'

const EMPTY = { password: '', new_password: '', new_password2: '' }

export function PasswordCard({ email }: { email: string }) {
  const { t } = useT()
  const form = useForm({
    initial: EMPTY,
    check: checkPasswordChange,
    send: async (values) => {
      await changeAccount(values)
      form.reset(EMPTY)
      notify.success(t('account.password.changed'))
    },
  })
  return (
    <Card title={t('account.password')} description={t('account.password.text')}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {/* Tells password managers whose password changes. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordField {...form.text('password')} />
        <NewPasswordFields password={form.text('new_password')} repeat={form.text('new_password2')} />
        <Button type="submit" busy={form.busy} className="justify-self-start">
          {t('account.password.submit')}
        </Button>
      </form>
    </Card>
  )
}
