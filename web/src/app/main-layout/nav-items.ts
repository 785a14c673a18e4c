import { CloudDownload, LayoutDashboard, type LucideIcon, Settings } from 'lucide-react'
import type { MessageId } from '@/lib/i18n/locales'
import { dashboardOf, settingsOf } from '@/lib/session/role-home'
import type { Role } from '@/lib/session/tokens'

export type NavItem = {
  to: ReturnType<typeof dashboardOf> | ReturnType<typeof settingsOf> | '/update'
  label: MessageId
  icon: LucideIcon
}

/** Electricians start updates from their own screens, so their menu has none. */
export function navItems(role: Role): NavItem[] {
  const electrician = role === 'electrician'
  return [
    { to: dashboardOf(role), label: electrician ? 'nav.fleet' : 'nav.dashboard', icon: LayoutDashboard },
    ...(electrician ? [] : [{ to: '/update', label: 'nav.update', icon: CloudDownload } as const]),
    { to: settingsOf(role), label: 'nav.settings', icon: Settings },
  ]
}

/** Where the profile menu's "Settings" leads. */
export const profileSettings = (path: string) =>
  path.startsWith('/electrician') ? '/electrician-settings' : '/settings'
