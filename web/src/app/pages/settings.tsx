import { PageHeading } from '@/components/ui/page-heading'
import { AccountPanel } from '@/features/account/account-panel'
import { CommandsCard } from '@/features/commands/commands-card'
import { MeterTest } from '@/features/commands/meter-test'
import { JournalCard } from '@/features/journal/journal-card'
import { TariffCard } from '@/features/money/tariff-card'
import { EndUserCard } from '@/features/settings/end-user-card'
import { SettingsPage } from '@/features/settings/settings-page'
import { StorageSettings } from '@/features/settings/storage-settings'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'

export function Settings() {
  const { t } = useT()
  const owns = useSession(({ role }) => role === 'user')
  if (!owns)
    return (
      <>
        <PageHeading>{t('nav.settings')}</PageHeading>
        <AccountPanel />
      </>
    )
  return (
    <SettingsPage
      parts={{
        storage: () => <Storage />,
        prices: () => (
          <div className="max-w-5xl">
            <TariffCard />
          </div>
        ),
        journal: () => <JournalCard />,
        account: () => <AccountPanel />,
      }}
    />
  )
}

/** The settings beside what the storage can be told to do; below each other on a phone. */
function Storage() {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,8fr)_minmax(0,5fr)]">
      <StorageSettings meterTest={(serials) => <MeterTest serials={serials} />} />
      <div className="grid min-w-0 gap-5">
        <CommandsCard />
        <EndUserCard />
      </div>
    </div>
  )
}
