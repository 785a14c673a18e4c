import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { DeleteAccount } from '@/components/account/delete-account'
import { EmailConfirmation } from '@/components/account/email-confirmation'
import { ExportButtons } from '@/components/account/export-buttons'
import { Card } from '@/components/ui/card'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Skeleton } from '@/components/ui/skeleton'
import { accountQuery } from '@/lib/data/account'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { EmailCard } from './email-card'
import { PartnersCard } from './partners-card'
import { PasswordCard } from './password-card'
import { ProfileCard } from './profile-card'
import { SessionsCard } from './sessions-card'
import { SystemsCard } from './systems-card'

const PasskeyCard = lazyPart(async () => (await import('@/components/passkey/passkey-card')).PasskeyCard)
const TotpCard = lazyPart(async () => (await import('@/components/totp/totp-card')).TotpCard)

type Props = {
  /** The alarm mail setting. */
  alarmMail?: ReactNode
}

/** Profile, login methods, systems, partner apps, mails and data export. */
export function AccountPanel({ alarmMail }: Props) {
  return (
    <div className="grid gap-5">
      <EmailConfirmation />
      <Cards alarmMail={alarmMail} />
    </div>
  )
}

function Cards({ alarmMail }: Props) {
  const { data: account, error, isFetching, refetch } = useQuery(accountQuery)
  // Waits for the list of systems, which is always loading at start: a card that grows later would move the
  // others.
  const { isPending: systemsOnTheirWay } = useQuery(systemsQuery)
  if (!account || systemsOnTheirWay) {
    return error ? <NotLoaded error={error} busy={isFetching} onRetry={refetch} /> : <Loading />
  }
  const isOwner = account.role === 'user'
  const more = (
    <>
      <SessionsCard sessions={account.sessions} />
      <DataCard leads={account.company_role === 'owner'} />
    </>
  )
  return (
    <div key="cards" className="grid items-start gap-5 lg:grid-cols-2">
      <div className="grid min-w-0 gap-5">
        {isOwner && <SystemsCard />}
        <ProfileCard account={account} />
        <EmailCard account={account} />
        {isOwner ? <PartnersCard /> : more}
        {isOwner && alarmMail}
      </div>
      <div className="grid min-w-0 gap-5">
        <PasswordCard email={account.email} />
        <Suspense fallback={<LoginCardsLoading />}>
          <TotpCard totp={account.totp} />
          <PasskeyCard account={account} />
        </Suspense>
        {isOwner ? more : alarmMail}
      </div>
    </div>
  )
}

/** A placeholder of the cards' size. */
function Loading() {
  return (
    <div key="waiting" aria-busy="true" className="grid items-start gap-5 lg:grid-cols-2">
      <div className="grid gap-5">
        <Skeleton className="h-108" />
        <Skeleton className="h-104" />
      </div>
      <div className="grid gap-5">
        <Skeleton className="h-124" />
        <Skeleton className="h-84" />
      </div>
    </div>
  )
}

function LoginCardsLoading() {
  return (
    <div aria-busy="true" className="grid gap-5">
      <Skeleton className="h-40" />
      <Skeleton className="h-45" />
    </div>
  )
}

function DataCard({ leads }: { leads: boolean }) {
  const { t } = useT()
  return (
    <Card title={t('account.data')} description={t('account.data.text')}>
      <div className="grid gap-5">
        <ExportButtons />
        <DeleteAccount more={leads ? t('account.company_ends') : undefined} />
      </div>
    </Card>
  )
}
