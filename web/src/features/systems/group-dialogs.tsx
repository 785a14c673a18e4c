import { useMutation } from '@tanstack/react-query'
import { ConfirmDialog } from '@/components/ui/confirm-dialog'
import { Dialog } from '@/components/ui/dialog'
import type { Group } from '@/lib/data/groups'
import { deleteGroup } from '@/lib/data/groups'
import type { System } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { GroupForm } from './group-form'

type Props = { open: boolean; onClose: () => void }

/** @param group null for a new one */
export function WriteGroup({ group, systems, open, onClose }: Props & WriteProps) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t(group ? 'groups.edit.title' : 'groups.create.title')}
      description={t('groups.text')}
    >
      <GroupForm group={group} systems={systems} onClose={onClose} />
    </Dialog>
  )
}

type WriteProps = { group: Group | null; systems: readonly System[] }

/** Deletes a group after a confirmation; its systems stay. */
export function DeleteGroup({ group, open, onClose }: Props & { group: Group }) {
  const { t } = useT()
  const { name } = group
  const remove = useMutation({
    mutationFn: () => deleteGroup(group),
    onSuccess: () => {
      onClose()
      notify.success(t('groups.deleted', { name }))
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('groups.delete.title', { name })}
      text={t('groups.delete.text')}
      confirm={t('groups.delete')}
      work={remove}
    />
  )
}
