import { Menu, PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { cn } from '@/lib/cn'
import { SIDEBAR_TOGGLE_SCROLL } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'
import { useScrolledPast } from './use-scrolled'

type Props = {
  collapsed: boolean
  onToggle: () => void
  drawerOpen: boolean
  onOpenDrawer: () => void
}

const floating =
  'fixed z-20 place-items-center rounded-full border border-line-strong bg-surface text-muted shadow-lg transition-[left,color] hover:text-text'

/** Appears after scrolling: collapses the side menu, or opens the drawer on small screens. */
export function SidebarToggle({ collapsed, onToggle, drawerOpen, onOpenDrawer }: Props) {
  const { t } = useT()
  if (!useScrolledPast(SIDEBAR_TOGGLE_SCROLL)) return null
  const Icon = collapsed ? PanelLeftOpen : PanelLeftClose
  return (
    <>
      <button
        type="button"
        onClick={onToggle}
        aria-expanded={!collapsed}
        aria-label={t(collapsed ? 'nav.expand' : 'nav.collapse')}
        className={cn(floating, 'top-20 hidden size-9 lg:grid', collapsed ? 'left-14.5' : 'left-51.5')}
      >
        <Icon aria-hidden className="size-4" />
      </button>
      <button
        type="button"
        onClick={onOpenDrawer}
        aria-expanded={drawerOpen}
        aria-label={t('nav.open')}
        className={cn(
          floating,
          'bottom-[calc(5rem+env(safe-area-inset-bottom))] right-4 grid size-12 lg:hidden',
        )}
      >
        <Menu aria-hidden className="size-5" />
      </button>
    </>
  )
}
