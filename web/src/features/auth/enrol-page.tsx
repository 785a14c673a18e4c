import { useNavigate } from '@tanstack/react-router'
import { DeleteAccount } from '@/components/account/delete-account'
import { ExportButtons } from '@/components/account/export-buttons'
import { SetUpTotp } from '@/components/totp/set-up-totp'
import { Button } from '@/components/ui/button'
import { useT } from '@/lib/i18n/use-t'
import { logOut } from '@/lib/session/log-out'
import { dashboardOf } from '@/lib/session/role-home'
import { AuthHeading } from './auth-heading'

/** For an electrician whose operator asks for a second factor: until it is set up, the server opens nothing else. */
export function EnrolPage() {
  const { t } = useT()
  const navigate = useNavigate()
  async function leave() {
    await logOut()
    await navigate({ to: '/login' })
  }
  return (
    <div className="grid gap-8">
      <AuthHeading title={t('totp.set_up.title')}>{t('totp.enrol.text')}</AuthHeading>
      <SetUpTotp onDone={() => void navigate({ to: dashboardOf('electrician') })} />
      <section className="grid gap-4 border-t border-line pt-6">
        <h2 className="text-[17px] font-semibold">{t('connect.data')}</h2>
        <ExportButtons />
        <DeleteAccount />
      </section>
      <Button size="l" variant="ghost" onClick={() => void leave()}>
        {t('lock.back')}
      </Button>
    </div>
  )
}
