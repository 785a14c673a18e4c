import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { Button } from '@/components/ui/button'
import { Wordmark } from '@/components/ui/logo'
import { useT } from '@/lib/i18n/use-t'
import { SideNav } from './main-nav'

type Props = { open: boolean; onOpenChange: (open: boolean) => void }

/**
 * The side menu on phones. Its overlay is our own: that of Radix injects a `<style>`, which the CSP refuses.
 */
export function MenuDrawer({ open, onOpenChange }: Props) {
  const { t } = useT()
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div
          data-dialog-overlay
          data-state={open ? 'open' : 'closed'}
          className="fixed inset-0 z-40 animate-[fade-in_200ms_var(--ease)] bg-black/60 lg:hidden"
        />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] animate-[slide-in_250ms_var(--ease)] flex-col gap-6 overflow-y-auto border-r border-line bg-bg p-4 outline-none lg:hidden"
        >
          <div className="flex items-center justify-between gap-2 pl-2">
            <Dialog.Title>
              <Wordmark className="text-xl" />
              <span className="sr-only"> {t('nav.main')}</span>
            </Dialog.Title>
            <Dialog.Close asChild>
              <Button variant="ghost" size="icon" aria-label={t('ui.close')}>
                <X aria-hidden className="size-5" />
              </Button>
            </Dialog.Close>
          </div>
          <SideNav onNavigate={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
