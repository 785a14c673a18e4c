import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { endGrants } from '../api'
import type { Ending } from '../model'

type Props = {
  /** One, or those of a household. */
  ids: readonly number[]
  sn: string
  /** Whose access it is, or whose system. */
  name: string
  ending: Ending
}

/** One click and a question. It ends at once, also for what is open at this moment. */
export function EndGrant({ ids, sn, name, ending }: Props) {
  const { t } = useT()
  const [asking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: () => endGrants(ids),
    onSuccess: () => {
      setAsking(false)
      notify.success(t(`grants.${ending}.done`, { name, sn }))
    },
  })
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('grants.deed_label', { deed: t(`grants.${ending}`), name, sn })}
        onClick={() => setAsking(true)}
      >
        {t(`grants.${ending}`)}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t(`grants.${ending}.title`, { name, sn })}
        text={t(`grants.${ending}.text`, { name, sn })}
        confirm={t(`grants.${ending}`)}
        work={end}
      />
    </>
  )
}
