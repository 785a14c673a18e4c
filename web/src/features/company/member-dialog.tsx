import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { checkEmail } from '@/lib/validation/email'
import { COMPANY_ROLES, type CompanyRole, inviteMember, type Member, setMemberRole } from './data'

type FormProps = {
  /** The member whose role changes; without it, an invitation. */
  member?: Member
  onClose: () => void
}

type Props = FormProps & { open: boolean }

/** Invites a colleague, or changes a role. Both require the password. */
export function MemberDialog({ open, member, onClose }: Props) {
  const { t } = useT()
  const name = member && (member.name || member.email)
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={member ? t('company.change.title', { name }) : t('company.invite.title')}
      description={member ? undefined : t('company.invite.text')}
    >
      <MemberForm member={member} onClose={onClose} />
    </Dialog>
  )
}

function MemberForm({ member, onClose }: FormProps) {
  const { t } = useT()
  const form = useForm({
    initial: { email: member?.email ?? '', role: member?.role ?? 'technician', password: '' },
    check: ({ email, password }) => ({
      email: checkEmail(email),
      password: password === '' ? 'required' : null,
    }),
    send: async ({ email: typed, role: chosen, password }) => {
      const role = chosen as CompanyRole
      const email = typed.trim()
      if (member) await setMemberRole(member.id, { role, password })
      else await inviteMember({ email, role, password })
      notify.success(
        member
          ? t('company.change.done', { name: member.name || email, role: t(`company_role.${role}`) })
          : t('company.invite.done', { email }),
      )
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      {!member && (
        <Field
          {...form.text('email')}
          label={t('form.email')}
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      )}
      <Select
        {...form.text('role')}
        label={t('company.role')}
        hint={t(`company.role.${form.values.role as CompanyRole}`)}
        options={COMPANY_ROLES.map((value) => ({ value, label: t(`company_role.${value}`) }))}
        required
      />
      <CurrentPasswordField {...form.text('password')} />
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="outline" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <Button type="submit" busy={form.busy}>
          {t(member ? 'company.change.submit' : 'company.invite.submit')}
        </Button>
      </div>
    </form>
  )
}
