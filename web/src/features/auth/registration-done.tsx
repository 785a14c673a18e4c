import { useNavigate } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { KeyResults } from '@/components/keys/key-results'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import type { KeyResult } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import type { Role } from '@/lib/session/tokens'
import { AuthHeading } from './auth-heading'
import { DemoMailHint } from './demo-mail-hint'

/** The account exists: what became of the keys, and the way in. */
export function AccountReady({ keys, role }: { keys: KeyResult[]; role: Role }) {
  const { t } = useT()
  const navigate = useNavigate()
  function goToLogin() {
    leaveLoginNotice('account_ready', role)
    void navigate({ to: '/login' })
  }
  return (
    <div className="grid gap-6">
      <AuthHeading takesFocus title={t('register.ready')}>
        {t('register.ready.text')}
      </AuthHeading>
      <KeyResults results={keys} withSteps />
      <Button size="l" onClick={goToLogin}>
        {t('register.to_login')}
      </Button>
    </div>
  )
}

/** The account waits for the mailed link. The text is the same whether or not the address has an account. */
export function CheckMail({ email, keys }: { email: string; keys: KeyResult[] }) {
  const { t } = useT()
  const waiting = keys.some(({ status }) => status === 'waiting')
  return (
    <div className="grid gap-6">
      <MailCheck aria-hidden className="size-10 text-battery-text" />
      <AuthHeading takesFocus title={t('register.check_mail')}>
        {t('register.check_mail.text', { email })}
      </AuthHeading>
      {waiting && <Callout>{t('register.check_mail.switch')}</Callout>}
      <p className="text-[14px] text-muted">{t('mail.not_found')}</p>
      <DemoMailHint />
    </div>
  )
}
