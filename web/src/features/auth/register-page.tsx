import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Callout } from '@/components/ui/callout'
import { textLinkStyle } from '@/components/ui/text-link'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import type { Role } from '@/lib/session/tokens'
import { AuthHeading } from './auth-heading'
import { ConfirmRegistration } from './confirm-registration'
import { type Registered, RegisterForm } from './register-form'
import { AccountReady, CheckMail } from './registration-done'

/** The form, with the key of a mailed link `#key=…`; with a link `#confirm=…`, the confirmation. */
export function RegisterPage() {
  const { t } = useT()
  const token = useFragment('confirm')
  const key = useFragment('key')
  const [role, setRole] = useState<Role>('user')
  const [registered, setRegistered] = useState<Registered | null>(null)
  if (token) return <ConfirmRegistration token={token} />
  if (registered?.confirm) return <CheckMail email={registered.email} keys={registered.keys} />
  if (registered) return <AccountReady {...registered} />
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('register.title')}>
        {t(role === 'electrician' ? 'register.text.electrician' : 'register.text')}
      </AuthHeading>
      {key && <Callout>{t('register.key')}</Callout>}
      <RegisterForm
        key={key}
        firstKey={key ?? ''}
        role={role}
        onRole={setRole}
        onRegistered={setRegistered}
      />
      <p className="text-center text-md text-muted">
        {t('register.have_account')}{' '}
        <Link to="/login" hash={key ? `key=${key}` : undefined} className={textLinkStyle}>
          {t('login.submit')}
        </Link>
      </p>
    </div>
  )
}
