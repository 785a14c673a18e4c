import { useId } from 'react'
import type { TextBinding } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { PasswordField } from './password-field'
import { PasswordRules } from './password-rules'

type Props = { password: TextBinding; repeat: TextBinding; label?: string }

/** A new password with its rules, and its repetition. */
export function NewPasswordFields({ password, repeat, label }: Props) {
  const { t } = useT()
  const rules = useId()
  return (
    <>
      <div>
        <PasswordField
          {...password}
          label={label ?? t('form.new_password')}
          autoComplete="new-password"
          describedBy={rules}
          required
        />
        <PasswordRules id={rules} password={password.value} className="mt-2.5" />
      </div>
      <PasswordField {...repeat} label={t('form.repeat_password')} autoComplete="new-password" required />
    </>
  )
}
