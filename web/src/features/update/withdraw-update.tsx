import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { useT } from '@/lib/i18n/use-t'
import { withdrawUpdate } from './api'

/** Withdraws an update that the battery has not begun. */
export function WithdrawUpdate({ sn }: { sn: string }) {
  const { t } = useT()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const work = useMutation({
    mutationFn: () => withdrawUpdate(sn),
    onSuccess: async () => {
      setAsking(false)
      await client.invalidateQueries({ queryKey: ['live'] })
    },
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
