import { useQuery } from '@tanstack/react-query'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { type Group, groupsQuery, saveGroup } from '@/lib/data/groups'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkGroupName } from '@/lib/validation/group-name'
import { type Chosen, groupsWithout, joinedSerials } from '../model/choice'

type Props = { chosen: Chosen; onClose: () => void; onDone: () => void }

/** Moves the selected systems into a group, which may be new, or out of their groups. */
export function GroupDialog({ open, ...form }: Props & { open: boolean }) {
  const { t } = useT()
  const { data: groups } = useQuery(groupsQuery)
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && form.onClose()}
      title={t('fleet.assign.title', { count: form.chosen.size })}
      description={t('fleet.assign.text')}
    >
      {groups && <GroupForm {...form} groups={groups} />}
    </Dialog>
  )
}

const NEW = 'new'
const NONE = 'none'

function GroupForm({ chosen, groups, onClose, onDone }: Props & { groups: readonly Group[] }) {
  const { t } = useT()
  const form = useForm({
    initial: { group: groups[0] ? String(groups[0].id) : NEW, name: '' },
    check: ({ group, name }) => ({ name: group === NEW ? checkGroupName(name) : null }),
    send: async ({ group: choice, name }) => {
      const group = groups.find(({ id }) => String(id) === choice)
      if (choice === NEW) await saveGroup(null, { name, serials: [...chosen] })
      else if (group) await saveGroup(group, { name: group.name, serials: joinedSerials(group, chosen) })
      else
        for (const left of groupsWithout(groups, chosen))
          await saveGroup(left.group, { name: left.group.name, serials: left.serials })
      notify.success(t('fleet.assign.done', { count: chosen.size }))
      onClose()
      onDone()
    },
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <Select
        {...form.text('group')}
        label={t('fleet.group')}
        options={[
          ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
          { value: NEW, label: t('fleet.new_group') },
          { value: NONE, label: t('groups.without') },
        ]}
      />
      {form.values.group === NEW && (
        <Field {...form.text('name')} label={t('groups.name')} autoComplete="off" required />
      )}
      <FormButtons submit={t('fleet.assign')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}
