import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { endGrants } from '../data'
import type { EndAction } from '../model'

type Props = {
  /** One grant, or those of a household. */
  ids: readonly number[]
  sn: string
  /** The holder's or the customer's name. */
  name: string
  endAction: EndAction
}

/** Ends grants after a confirmation, at once and for open sessions too. */
export function EndGrant({ ids, sn, name, endAction }: Props) {
  const { t } = useT()
  const [asking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: () => endGrants(ids),
    onSuccess: () => {
      setAsking(false)
      notify.success(t(`grants.${endAction}.done`, { name, sn }))
    },
  })
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('grants.deed_label', { deed: t(`grants.${endAction}`), name, sn })}
        onClick={() => setAsking(true)}
      >
        {t(`grants.${endAction}`)}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t(`grants.${endAction}.title`, { name, sn })}
        text={t(`grants.${endAction}.text`, { name, sn })}
        confirm={t(`grants.${endAction}`)}
        work={end}
      />
    </>
  )
}
