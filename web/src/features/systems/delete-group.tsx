import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import type { Group } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { deleteGroup } from './change-groups'

/** Removes a group, after a question; its systems stay. */
export function DeleteGroup({ group }: { group: Group }) {
  const { t } = useT()
  const { name } = group
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteGroup(group),
    onSuccess: () => {
      setAsking(false)
      notify.success(t('groups.deleted', { name }))
    },
  })
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('groups.delete.label', { name })}
        onClick={() => setAsking(true)}
      >
        <Trash2 aria-hidden className="size-4" />
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('groups.delete.title', { name })}
        text={t('groups.delete.text')}
        confirm={t('groups.delete')}
        work={remove}
      />
    </>
  )
}
