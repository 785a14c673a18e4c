import { AccountPanel } from '@/features/account/account-panel'
import { SettingsPage } from '@/features/settings/settings-page'

export const Settings = () => <SettingsPage account={<AccountPanel />} />
