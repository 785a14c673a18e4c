import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { nameEndUser, type System } from '@/lib/data/systems'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'

type FormProps = { system: System; onClose: () => void }

/** Sets the end user's name. */
export function EndUserDialog({ open, system, onClose }: FormProps & { open: boolean }) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('end_user.title')}
      description={t('fleet.end_user.text', { sn: system.sn })}
    >
      <EndUserForm system={system} onClose={onClose} />
    </Dialog>
  )
}

const checkName = (name: string) => (name.trim() === '' ? 'required' : null)

function EndUserForm({ system: { sn, first_name, last_name }, onClose }: FormProps) {
  const { t } = useT()
  const form = useForm({
    initial: { first_name: first_name ?? '', last_name: last_name ?? '' },
    check: (values) => ({
      first_name: checkName(values.first_name),
      last_name: checkName(values.last_name),
    }),
    send: async (body) => {
      await nameEndUser(sn, body)
      notify.success(t('end_user.saved'))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <Field {...form.text('first_name')} label={t('end_user.first_name')} autoComplete="off" required />
      <Field {...form.text('last_name')} label={t('end_user.last_name')} autoComplete="off" required />
      <FormButtons submit={t('account.save')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}
