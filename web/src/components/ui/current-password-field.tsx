import type { ComponentProps } from 'react'
import { useT } from '@/lib/i18n/use-t'
import { PasswordField } from './password-field'

type Props = Omit<ComponentProps<typeof PasswordField>, 'label' | 'autoComplete' | 'required'>

/** The current password, asked for before changes that cannot be undone or outlast the login. */
export function CurrentPasswordField(props: Props) {
  const { t } = useT()
  return (
    <PasswordField {...props} label={t('form.current_password')} autoComplete="current-password" required />
  )
}
