import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DeleteAccount } from '@/components/account/delete-account'
import { ExportButtons } from '@/components/account/export-buttons'
import { AddKeysForm } from '@/components/keys/add-keys-form'
import { ClaimList } from '@/components/keys/claim-list'
import { CLAIM_MINUTES } from '@/components/keys/model'
import { useClaims } from '@/components/keys/use-claims'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Skeleton } from '@/components/ui/skeleton'
import { type System, systemsQuery } from '@/lib/data/systems'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { logOut } from '@/lib/session/log-out'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import { AuthHeading } from './auth-heading'

/** The key page of an owner without systems; the limited session opens nothing else. */
export function ConnectPage() {
  const { t } = useT()
  const { data: systems } = useQuery(systemsQuery)
  if (systems && systems.length > 0) return <Connected systems={systems} />
  return (
    <div className="grid gap-8">
      <AuthHeading title={t('page.connect')}>{t('error.no_systems')}</AuthHeading>
      <WaitingClaims />
      <section className="grid gap-3">
        <h2 className="text-2xl font-semibold">{t('connect.enter')}</h2>
        <p className="text-md text-muted">{t('connect.enter.text', { minutes: CLAIM_MINUTES })}</p>
        <AddKeysForm />
      </section>
      <section className="grid gap-4 border-t border-line pt-6">
        <h2 className="text-2xl font-semibold">{t('connect.data')}</h2>
        <ExportButtons />
        <DeleteAccount />
      </section>
      <LeaveButton variant="ghost">{t('lock.back')}</LeaveButton>
    </div>
  )
}

function WaitingClaims() {
  const { t, locale } = useT()
  const { data: claims, error } = useClaims()
  if (error && !claims) return <Callout tone="danger">{refusalText(error, t, locale)}</Callout>
  if (!claims) return <Skeleton className="h-28" />
  return claims.length > 0 ? <ClaimList claims={claims} /> : null
}

function Connected({ systems }: { systems: System[] }) {
  const { t } = useT()
  return (
    <div className="grid gap-6">
      <AuthHeading takesFocus title={t('connect.done')}>
        {t('connect.done.text')}
      </AuthHeading>
      <Callout tone="ok" title={t('keys.linked')}>
        {systems.map(({ sn }) => (
          <p key={sn} className="num font-semibold">
            {sn}
          </p>
        ))}
      </Callout>
      <LeaveButton variant="primary">{t('register.to_login')}</LeaveButton>
    </div>
  )
}

/** Ends the limited session. */
function LeaveButton({ variant, children }: { variant: 'primary' | 'ghost'; children: string }) {
  const navigate = useNavigate()
  async function leave() {
    await logOut()
    if (variant === 'primary') leaveLoginNotice('account_ready')
    await navigate({ to: '/login' })
  }
  return (
    <Button size="l" variant={variant} onClick={() => void leave()}>
      {children}
    </Button>
  )
}
