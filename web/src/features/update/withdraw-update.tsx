import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { useT } from '@/lib/i18n/use-t'
import { withdrawUpdate } from './data'

/** Withdraws an update that the battery has not begun. */
export function WithdrawUpdate({ sn }: { sn: string }) {
  const { t } = useT()
  const [asking, setAsking] = useState(false)
  const work = useMutation({
    mutationFn: () => withdrawUpdate(sn),
    onSuccess: () => setAsking(false),
  })
  return (
    <>
      <Button variant="outline" size="s" onClick={() => setAsking(true)}>
        {t('in_force.withdraw')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('in_force.withdraw.ask', { sn })}
        text={t('in_force.withdraw.ask.text')}
        confirm={t('in_force.withdraw')}
        work={work}
      />
    </>
  )
}
