import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Skeleton } from '@/components/ui/skeleton'
import { ApiError } from '@/lib/api/errors'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { logOut } from '@/lib/session/log-out'
import { page } from '@/lib/session/page'
import { AuthHeading } from './auth-heading'
import { Consent } from './consent'
import { partnerClientQuery } from './data'
import { ensureLoggedIn } from './ensure-logged-in'
import { LoginForm } from './login-form'
import { type PartnerRequest, readPartnerRequest } from './partner-model'

/**
 * The page to which partner apps send their users. It redirects back only after the server has confirmed the
 * app's address.
 */
export function PartnerLoginPage() {
  const { t } = useT()
  const [request] = useState(() => readPartnerRequest(location.search))
  if (request) return <KnownRequest request={request} />
  return (
    <div className="grid gap-6">
      <AuthHeading title={t('page.partner')} />
      <Callout tone="danger">{t('error.client_unknown')}</Callout>
    </div>
  )
}

function KnownRequest({ request }: { request: PartnerRequest }) {
  const { t, locale } = useT()
  const { client_id, redirect_uri } = request
  const client = useQuery(partnerClientQuery(client_id, redirect_uri))
  if (client.data) return <KnownApp appName={client.data.name} request={request} />
  const refused = client.error instanceof ApiError && client.error.code === 'client_unknown'
  return (
    <div className="grid gap-6" aria-busy={client.isFetching}>
      <AuthHeading title={t('page.partner')} />
      {client.error ? (
        <Callout tone="danger">{refusalText(client.error, t, locale)}</Callout>
      ) : (
        <Skeleton className="h-48" />
      )}
      {client.error && !refused && (
        <Button size="l" busy={client.isFetching} onClick={() => void client.refetch()}>
          {t('ui.retry')}
        </Button>
      )}
    </div>
  )
}

function KnownApp({ appName, request }: { appName: string; request: PartnerRequest }) {
  const { t } = useT()
  const navigate = useNavigate()
  const [inside, setInside] = useState<boolean | null>(null)
  useEffect(() => void ensureLoggedIn().then(setInside), [])

  /** The request is in the address and survives the reload; the other account's data does not. */
  async function leaveAccount() {
    await logOut()
    page.reload()
  }

  if (inside === null) return <Skeleton className="h-80" />
  if (inside)
    return <Consent appName={appName} request={request} onOtherAccount={() => void leaveAccount()} />
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('partner.login', { app: appName })}>{t('partner.login.text')}</AuthHeading>
      <LoginForm onLoggedIn={() => setInside(true)} onNoSystems={() => navigate({ to: '/connect' })} />
    </div>
  )
}
