import { Button } from '@/components/ui/button'
import { goToRegion } from '@/components/ui/region'
import { cn } from '@/lib/cn'
import { useT } from '@/lib/i18n/use-t'

type Props = { count: number; disabled: boolean; onDiscard: () => void; onSend: () => void }

/**
 * Visible while there are unsent changes; on phones above the bottom tabs. Its live region exists before, so
 * that the first change is announced.
 */
export function SaveBar({ count, disabled, onDiscard, onSend }: Props) {
  const { t } = useT()
  const waits = count > 0
  return (
    <div
      data-save-bar={waits || undefined}
      className={cn(
        waits
          ? 'card sticky bottom-[calc(4.75rem+env(safe-area-inset-bottom))] z-10 mt-4 flex flex-wrap items-center justify-between gap-3 py-3 pr-15 pl-3.5 shadow-xl lg:bottom-4 lg:px-4'
          : 'sr-only',
      )}
    >
      <p role="status" className="text-md font-medium">
        {waits && t('settings.pending', { count })}
      </p>
      {waits && (
        <div className="flex flex-wrap gap-2 lg:gap-3">
          <Button
            variant="outline"
            size="s"
            onClick={({ currentTarget }) => {
              // The button disappears with the changes.
              goToRegion(currentTarget)
              onDiscard()
            }}
          >
            {t('settings.discard')}
          </Button>
          <Button size="s" disabled={disabled} onClick={onSend}>
            {t('settings.review')}
          </Button>
        </div>
      )}
    </div>
  )
}
