import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { DeleteAccount } from '@/components/account/delete-account'
import { ExportButtons } from '@/components/account/export-buttons'
import { AddPasskey } from '@/components/passkey/add-passkey'
import { SetUpTotp } from '@/components/totp/set-up-totp'
import { Button } from '@/components/ui/button'
import { accountQuery } from '@/lib/data/account'
import { useT } from '@/lib/i18n/use-t'
import { knowsPasskeys } from '@/lib/passkey/problem'
import { logOut } from '@/lib/session/log-out'
import { dashboardOf } from '@/lib/session/role-home'
import { AuthHeading } from './auth-heading'

/**
 * For electricians whose operator requires a second factor: until it is set up, every other page redirects
 * here.
 */
export function EnrolPage() {
  const { t } = useT()
  const navigate = useNavigate()
  const enter = () => void navigate({ to: dashboardOf('electrician') })
  async function leave() {
    await logOut()
    await navigate({ to: '/login' })
  }
  return (
    <div className="grid gap-8">
      <AuthHeading title={t('totp.set_up.title')}>{t('totp.enrol.text')}</AuthHeading>
      <ChooseFactor onDone={enter} />
      <section className="grid gap-4 border-t border-line pt-6">
        <h2 className="text-2xl font-semibold">{t('connect.data')}</h2>
        <ExportButtons />
        <DeleteAccount />
      </section>
      <Button size="l" variant="ghost" onClick={() => void leave()}>
        {t('lock.back')}
      </Button>
    </div>
  )
}

/** An authenticator app, or a passkey. */
function ChooseFactor({ onDone }: { onDone: () => void }) {
  const { t } = useT()
  const { data: account } = useQuery(accountQuery)
  const [passkey, setPasskey] = useState(false)
  return (
    <div className="grid gap-5">
      {passkey && account ? <AddPasskey account={account} onDone={onDone} /> : <SetUpTotp onDone={onDone} />}
      {account && knowsPasskeys() && (
        <Button variant="ghost" size="s" className="justify-self-start" onClick={() => setPasskey(!passkey)}>
          {t(passkey ? 'totp.enrol.app' : 'totp.enrol.passkey')}
        </Button>
      )}
    </div>
  )
}
