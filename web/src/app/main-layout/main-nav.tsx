import { Link } from '@tanstack/react-router'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'
import { navItems } from './nav-items'

type Props = {
  /** Icons only; labels stay for screen readers and as tooltips. */
  collapsed?: boolean
  onNavigate?: () => void
}

/** The entries of the side menu and the drawer. */
export function SideNav({ collapsed = false, onNavigate }: Props) {
  const { t } = useT()
  const role = useSession((session) => session.role)
  return (
    <nav aria-label={t('nav.main')}>
      <ul className="flex flex-col gap-1">
        {navItems(role).map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onNavigate}
              title={collapsed ? t(label) : undefined}
              className={cn(
                'flex min-h-11 items-center gap-3 rounded-xl px-3 py-2 text-md font-medium text-muted transition-colors hover:bg-surface-2 hover:text-text aria-[current=page]:bg-surface-2 aria-[current=page]:text-text',
                collapsed && 'justify-center',
              )}
            >
              <Icon aria-hidden className="size-5 shrink-0" />
              <span className={cn('min-w-0', collapsed && 'sr-only')}>{t(label)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The same entries as tabs, on phones. */
export function BottomTabs() {
  const { t } = useT()
  const role = useSession((session) => session.role)
  return (
    <nav
      aria-label={t('nav.main')}
      className="fixed inset-x-0 bottom-0 z-20 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <ul className="flex justify-around px-2">
        {navItems(role).map(({ to, label, icon: Icon }) => (
          <li key={to} className="min-w-0 flex-1">
            <Link
              to={to}
              className="my-1 flex min-h-14 flex-col items-center justify-center gap-1 rounded-xl px-1 text-center text-xs leading-tight font-medium text-muted aria-[current=page]:text-text [&[aria-current=page]_svg]:text-battery-text"
            >
              <Icon aria-hidden className="size-5 shrink-0" />
              {t(label)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
