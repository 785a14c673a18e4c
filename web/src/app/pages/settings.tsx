import { AccountPanel } from '@/features/account/account-panel'
import { TariffCard } from '@/features/money/tariff-card'
import { SettingsPage } from '@/features/settings/settings-page'
import { useSession } from '@/lib/session/session-store'

export function Settings() {
  const owns = useSession(({ role }) => role === 'user')
  return <SettingsPage tariff={owns && <TariffCard />} account={<AccountPanel />} />
}
