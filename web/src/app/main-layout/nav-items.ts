import { CloudDownload, LayoutDashboard, type LucideIcon, Settings } from 'lucide-react'
import type { MessageId } from '@/lib/i18n/locales'
import { dashboardOf, settingsOf } from '@/lib/session/role-home'
import type { Role } from '@/lib/session/tokens'

export type NavItem = {
  to: ReturnType<typeof dashboardOf> | ReturnType<typeof settingsOf> | '/update'
  label: MessageId
  icon: LucideIcon
}

/** Electricians start updates in their fleet, so their menu has no update page. */
export function navItems(role: Role): NavItem[] {
  const electrician = role === 'electrician'
  return [
    { to: dashboardOf(role), label: electrician ? 'nav.fleet' : 'nav.dashboard', icon: LayoutDashboard },
    ...(electrician ? [] : [{ to: '/update', label: 'nav.update', icon: CloudDownload } as const]),
    { to: settingsOf(role), label: 'nav.settings', icon: Settings },
  ]
}

/** The target of "Settings" in the profile menu. */
export const profileSettings = (path: string) =>
  path.startsWith('/electrician') ? '/electrician-settings' : '/settings'
