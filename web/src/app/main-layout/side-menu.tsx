import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { Logo, Wordmark } from '@/components/ui/logo'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { SideNav } from './main-nav'

type Props = { collapsed: boolean; onToggle: () => void }

/** The side menu, from 1024 px on; it collapses to icons. */
export function SideMenu({ collapsed, onToggle }: Props) {
  const { t } = useT()
  const Icon = collapsed ? PanelLeftOpen : PanelLeftClose
  const label = t(collapsed ? 'nav.expand' : 'nav.collapse')
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-6 overflow-y-auto border-r border-line p-4 lg:flex">
      <div className={cn('flex min-h-10 items-center pt-1', collapsed ? 'justify-center' : 'px-2')}>
        {collapsed ? <Logo /> : <Wordmark className="text-xl" />}
      </div>
      <SideNav collapsed={collapsed} />
      <button
        type="button"
        onClick={onToggle}
        aria-expanded={!collapsed}
        title={collapsed ? label : undefined}
        className={cn(
          'mt-auto flex min-h-11 items-center gap-3 rounded-xl px-3 text-sm font-medium text-muted transition-colors hover:bg-surface-2 hover:text-text',
          collapsed && 'justify-center',
        )}
      >
        <Icon aria-hidden className="size-5 shrink-0" />
        <span className={cn(collapsed && 'sr-only')}>{label}</span>
      </button>
    </aside>
  )
}
