import { useBlocker } from '@tanstack/react-router'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useT } from '@/lib/i18n/use-t'

/** Asks for confirmation before unsent changes are lost. */
export function LeaveGuard({ count }: { count: number }) {
  const { t } = useT()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => count > 0,
    enableBeforeUnload: () => count > 0,
    withResolver: true,
  })
  return (
    <Dialog
      open={status === 'blocked'}
      onOpenChange={(open) => !open && reset?.()}
      title={t('settings.leave')}
      description={t('settings.pending', { count })}
      footer={
        <>
          <Button variant="outline" onClick={() => reset?.()}>
            {t('settings.leave.stay')}
          </Button>
          <Button variant="danger" onClick={() => proceed?.()}>
            {t('settings.leave.go')}
          </Button>
        </>
      }
    />
  )
}
