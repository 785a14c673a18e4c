import { Dialog } from '@/components/ui/dialog'
import type { Group, System } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'
import { GroupForm } from './group-form'

type Props = {
  open: boolean
  /** Null: a new one. */
  group: Group | null
  systems: readonly System[]
  onClose: () => void
}

export function GroupDialog({ open, group, systems, onClose }: Props) {
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
