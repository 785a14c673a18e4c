import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'
import { Button } from './button'
import { focusRegion, regionAround } from './region'

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  /** Buttons, the primary one last. */
  footer?: ReactNode
  /** For long forms: the dialog starts near the top of the screen. */
  tall?: boolean
  /** Only a footer button closes it: no cross, no Escape, no click outside. */
  insistent?: boolean
  className?: string
}

/** Where to return the focus: the opener, then its surrounding regions, in case the opener is removed. */
function focusTargetsOf(opener: Element | null): HTMLElement[] {
  const way: HTMLElement[] = []
  for (let place = opener; place instanceof HTMLElement; place = regionAround(place)) way.push(place)
  return way
}

function restoreFocus([opener, ...regions]: HTMLElement[]) {
  opener?.focus()
  // The opener may be gone or disabled by now, or the page may have moved the focus itself.
  if (document.activeElement === document.body) focusRegion(regions.find(({ isConnected }) => isConnected))
}

/**
 * A modal dialog that traps the focus and returns it. The overlay is our own: that of Radix locks scrolling
 * with an injected `<style>`, which the CSP refuses.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  insistent = false,
  tall = false,
  className,
}: Props) {
  const { t } = useT()
  const way = useRef<HTMLElement[]>([])
  const keepOpen = insistent ? (event: Event) => event.preventDefault() : undefined
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div
          data-dialog-overlay
          data-state={open ? 'open' : 'closed'}
          className="fixed inset-0 z-40 bg-black/60 data-[state=closed]:animate-[fade-out_500ms_var(--ease)_forwards] data-[state=open]:animate-[fade-in_500ms_var(--ease)]"
        />
        <Radix.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          // Radix returns the focus only to its own trigger. This dialog is opened by any element.
          onOpenAutoFocus={() => {
            way.current = focusTargetsOf(document.activeElement)
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            restoreFocus(way.current)
          }}
          onEscapeKeyDown={keepOpen}
          onPointerDownOutside={keepOpen}
          onInteractOutside={keepOpen}
          className={cn(
            'card fixed inset-x-4 bottom-4 z-50 mx-auto max-h-[calc(100dvh-2rem)] max-w-lg overflow-y-auto p-6 shadow-2xl outline-none sm:bottom-auto',
            // The last button stays on screen, whatever the content.
            tall
              ? 'sm:top-8 sm:max-h-[calc(100dvh-4rem)]'
              : 'sm:top-1/2 sm:-mt-[min(16rem,40dvh)] sm:max-h-[calc(50dvh+min(16rem,40dvh)-1rem)]',
            'data-[state=closed]:animate-[sink-out_500ms_var(--ease)_forwards] data-[state=open]:animate-[rise-in_500ms_var(--ease)]',
            className,
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="pt-1.5 text-3xl leading-tight font-semibold">{title}</Radix.Title>
            {!insistent && (
              <Radix.Close asChild>
                <Button variant="ghost" size="icon" aria-label={t('ui.close')} className="-mt-1.5 -mr-2.5">
                  <X aria-hidden className="size-5" />
                </Button>
              </Radix.Close>
            )}
          </div>
          {description && (
            <Radix.Description className="mt-2 text-lg text-muted">{description}</Radix.Description>
          )}
          {children && <div className="mt-5">{children}</div>}
          {footer && (
            <div className="mt-6 flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">{footer}</div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
