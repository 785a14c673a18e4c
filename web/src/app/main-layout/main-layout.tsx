import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { PagePart } from '@/components/ui/page-part'
import { useStartUp } from '@/features/systems/use-start-up'
import { cn } from '@/lib/cn'
import { lazyPart } from '@/lib/lazy-part'
import { LiveUpdates } from '@/lib/live/live-updates'
import { useSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { Footer } from '../footer'
import { BottomTabs } from './main-nav'
import { SideMenu } from './side-menu'
import { SidebarToggle } from './sidebar-toggle'
import { TopBar } from './top-bar'

const MenuDrawer = lazyPart(async () => (await import('./menu-drawer')).MenuDrawer)

/**
 * Whether the session that opened the layout has ended. Then the layout renders nothing until the login page
 * is loaded, because its parts would request data.
 */
function useSessionEnded() {
  const [entered] = useState(isAuthenticated)
  const stays = useSession(() => isAuthenticated())
  return entered && !stays
}

/** The layout of the pages behind the login: side menu or bottom tabs, top bar, page, footer. */
export function MainLayout() {
  const left = useSessionEnded()
  useStartUp()
  const [collapsed, setCollapsed] = useState(false)
  const [drawerOpen, setDrawerOpen] = useState(false)
  const [drawerWanted, setDrawerWanted] = useState(false)
  const toggle = () => setCollapsed(!collapsed)
  if (left) return null
  return (
    <div
      className={cn(
        'lg:grid lg:transition-[grid-template-columns] lg:duration-200',
        collapsed ? 'lg:grid-cols-[4.75rem_1fr]' : 'lg:grid-cols-[14rem_1fr]',
      )}
    >
      <LiveUpdates />
      <SideMenu collapsed={collapsed} onToggle={toggle} />
      <div className="flex min-h-dvh min-w-0 flex-col">
        <TopBar />
        {/* On phones the footer starts below the screen, so that loading content does not move it. */}
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-320 flex-1 px-4 pt-5 outline-none max-lg:min-h-[calc(100dvh-3.5rem)] lg:px-8 lg:pt-7"
        >
          <Outlet />
        </main>
        <Footer className="px-4 pt-8 pb-22 lg:pt-10 lg:pb-4" />
      </div>
      <SidebarToggle
        collapsed={collapsed}
        onToggle={toggle}
        drawerOpen={drawerOpen}
        onOpenDrawer={() => {
          setDrawerWanted(true)
          setDrawerOpen(true)
        }}
      />
      <BottomTabs />
      <PagePart>{drawerWanted && <MenuDrawer open={drawerOpen} onOpenChange={setDrawerOpen} />}</PagePart>
    </div>
  )
}
