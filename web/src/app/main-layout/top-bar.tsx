import { useQuery } from '@tanstack/react-query'
import { CatchBoundary, useLocation } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { Logo, PRODUCT_NAME } from '@/components/ui/logo'
import { OnlySystem, SystemSelector } from '@/features/systems/system-selector'
import { cn } from '@/lib/cn'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/session-store'
import { DisplayMenu } from './display-menu'
import { NotificationBell } from './notification-bell'
import { OwnerBell } from './owner-bell'
import { ProfileMenu } from './profile-menu'

const ElectricianBell = lazyPart(async () => (await import('./electrician-bell')).ElectricianBell)

/** Pages with a system selector. */
const WITH_SELECTOR = ['/dashboard', '/calendar', '/charts']

export function TopBar() {
  const electrician = useSession(({ role }) => role === 'electrician')
  const selects = useLocation({ select: ({ pathname }) => WITH_SELECTOR.includes(pathname) })
  return (
    <header className="sticky top-0 z-20 border-b border-line bg-bg">
      <div className="mx-auto flex min-h-14 max-w-320 items-center justify-between gap-3 px-4 lg:min-h-16 lg:px-8">
        <div className="flex min-w-0 items-center gap-2.5 font-semibold">
          <Logo className={cn('shrink-0 lg:hidden', selects && 'max-sm:hidden')} />
          <span className={cn('lg:hidden', selects && 'sr-only')}>{PRODUCT_NAME}</span>
          {selects ? <SystemSelector /> : <Systems />}
        </div>
        <div className="flex shrink-0 items-center gap-0.5">
          <DisplayMenu />
          {electrician ? <LoadedBell /> : <OwnerBell />}
          <ProfileMenu />
        </div>
      </div>
    </header>
  )
}

/** The electrician's bell; without tasks while they load, or if they fail. */
const LoadedBell = () => (
  <CatchBoundary getResetKey={() => location.href} errorComponent={() => <NotificationBell />}>
    <Suspense fallback={<NotificationBell />}>
      <ElectricianBell />
    </Suspense>
  </CatchBoundary>
)

/** On pages without a selector: the only system, or the number of systems. */
function Systems() {
  const { t } = useT()
  const role = useSession((session) => session.role)
  const { data } = useQuery(systemsQuery)
  if (!data) return null
  const [only] = data
  if (!only || data.length > 1) return <WideOnly>{t('top.systems', { count: data.length })}</WideOnly>
  // Electricians see the serial number only.
  return <WideOnly>{role === 'user' ? <OnlySystem system={only} /> : only.sn}</WideOnly>
}

const WideOnly = ({ children }: { children: ReactNode }) => (
  <div className="num hidden truncate text-lg font-medium lg:block">{children}</div>
)
