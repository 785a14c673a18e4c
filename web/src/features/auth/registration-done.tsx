import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { KeyResults } from '@/components/keys/key-results'
import { followClaims } from '@/components/keys/model'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import type { KeyResult } from '@/lib/data/claims'
import { useT } from '@/lib/i18n/use-t'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import type { Role } from '@/lib/session/tokens'
import { AuthHeading } from './auth-heading'
import { newClaimsQuery } from './data'
import { DemoMailHint } from './demo-mail-hint'

type ReadyProps = {
  keys: KeyResult[]
  role: Role
  /** A token that reads the keys' state before the first login. */
  watch: string | null
}

/** The account exists: shows the keys' state and a link to the login. */
export function AccountReady({ keys: first, role, watch }: ReadyProps) {
  const { t } = useT()
  const keys = usePolledKeys(first, watch)
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
      <div role="status">
        <KeyResults results={keys} withSteps />
      </div>
      <Button size="l" onClick={goToLogin}>
        {t('register.to_login')}
      </Button>
    </div>
  )
}

/** The current state of the keys, polled while one waits for its main switch. */
function usePolledKeys(keys: KeyResult[], watch: string | null): KeyResult[] {
  const { t } = useT()
  const { data: claims } = useQuery({
    ...newClaimsQuery(watch),
    enabled: watch !== null && keys.some(({ status }) => status === 'waiting'),
  })
  return claims ? followClaims(keys, claims, (status) => t(`claims.${status}.text`)) : keys
}

/** Waits for the mailed link. The text does not reveal whether the address has an account. */
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
      <p className="text-md text-muted">{t('mail.not_found')}</p>
      <DemoMailHint />
    </div>
  )
}
