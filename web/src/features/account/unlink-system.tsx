import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { api, unwrap } from '@/lib/api/client'
import { systemsQuery } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'

/** Takes a system out of the account, after a question. */
export function UnlinkSystem({ sn, isLast }: { sn: string; isLast: boolean }) {
  const { t } = useT()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const unlink = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/auth/usr_sn/{sn}/', { params: { path: { sn } } })),
    onSuccess: () => {
      setAsking(false)
      notify.success(t('account.unlink.done', { sn }))
      return queries.invalidateQueries({ queryKey: systemsQuery.queryKey })
    },
  })
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('account.unlink.label', { sn })}
        onClick={() => setAsking(true)}
      >
        {t('account.unlink')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('account.unlink.title', { sn })}
        text={isLast ? t('account.unlink.last') : t('account.unlink.text')}
        confirm={t('account.unlink')}
        work={unlink}
      />
    </>
  )
}
