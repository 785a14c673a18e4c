import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import type { Group } from '@/lib/data/groups'
import { saveGroup } from '@/lib/data/groups'
import type { System } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkGroupName } from '@/lib/validation/group-name'

type Props = {
  /** Null for a new one. */
  group: Group | null
  systems: readonly System[]
  onClose: () => void
}

/** The name, and a checkbox per system. */
type Fields = { name: string } & Record<`in ${string}`, boolean>
const tickOf = (sn: string) => `in ${sn}` as const

/** The name of a group and the systems in it. */
export function GroupForm({ group, systems, onClose }: Props) {
  const { t } = useT()
  const ticks = systems.map(({ sn }) => [tickOf(sn), group?.systems.includes(sn) ?? false] as const)
  const form = useForm<Fields>({
    initial: { name: group?.name ?? '', ...Object.fromEntries(ticks) },
    check: ({ name }) => ({ name: checkGroupName(name) }),
    send: async (values) => {
      const chosen = systems.map(({ sn }) => sn).filter((sn) => values[tickOf(sn)])
      await saveGroup(group, { name: values.name, serials: chosen })
      notify.success(t(group ? 'groups.changed' : 'groups.created', { name: values.name.trim() }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <Field {...form.text('name')} label={t('groups.name')} autoComplete="off" required />
      <fieldset>
        <legend className="text-sm font-medium">{t('groups.systems')}</legend>
        <div className="mt-1 max-h-60 overflow-y-auto">
          {systems.map((system) => (
            <Checkbox
              key={system.sn}
              {...form.tick(tickOf(system.sn))}
              label={<SystemLabel system={system} group={group} />}
            />
          ))}
        </div>
      </fieldset>
      <FormButtons submit={t(group ? 'groups.save' : 'groups.submit')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}

/** A system is in at most one group, so the label warns if it is in another one. */
function SystemLabel({ system, group }: { system: System; group: Group | null }) {
  const { t } = useT()
  const { sn, phase, group_name } = system
  const elsewhere = group_name && group_name !== group?.name ? group_name : null
  return (
    <>
      <span className="num font-medium break-all">{sn}</span>
      <span className="block text-sm text-muted wrap-anywhere">
        {t('systems.phase', { phase })}
        {elsewhere && ` · ${t('groups.elsewhere', { group: elsewhere })}`}
      </span>
    </>
  )
}
