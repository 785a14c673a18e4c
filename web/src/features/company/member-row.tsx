import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type Member, removeMember } from './data'
import { MemberDialog } from './member-dialog'

type Props = {
  member: Member
  /** The last owner: neither removed nor given another role. */
  stays: boolean
}

/** One person of the company, with what its owners can do about them. */
export function MemberRow({ member, stays }: Props) {
  const { t } = useT()
  const [changing, setChanging] = useState({ number: 0, open: false })
  const name = member.name || member.email
  const facts = [
    t(`company_role.${member.role}`),
    member.you && t('company.you'),
    !member.second_factor && t('company.no_second_factor'),
  ]
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{name}</p>
        {member.name && <p className="text-sm text-muted wrap-anywhere">{member.email}</p>}
        <p className="text-sm text-muted">{facts.filter(Boolean).join(' · ')}</p>
      </div>
      {!stays && (
        <div className="flex flex-wrap items-center gap-1 max-sm:-ml-3 sm:-mr-3">
          <Button
            variant="ghost"
            size="s"
            aria-label={t('company.change.label', { name })}
            onClick={() => setChanging(({ number }) => ({ number: number + 1, open: true }))}
          >
            {t('company.change')}
          </Button>
          <RemoveMember id={member.id} name={name} />
        </div>
      )}
      {changing.number > 0 && (
        <MemberDialog
          key={changing.number}
          member={member}
          open={changing.open}
          onClose={() => setChanging((before) => ({ ...before, open: false }))}
        />
      )}
    </li>
  )
}

/** The question asks for the password: the person is out at once, and cannot simply be let in again. */
function RemoveMember({ id, name }: { id: number; name: string }) {
  const { t } = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('company.remove.label', { name })}
        onClick={() => setOpen(true)}
      >
        {t('company.remove')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t('company.remove.title', { name })}
        description={t('company.remove.text')}
      >
        <RemoveForm id={id} name={name} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function RemoveForm({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'required' : null }),
    send: async (body) => {
      await removeMember(id, body)
      onClose()
      notify.success(t('company.remove.done', { name }))
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <CurrentPasswordField {...form.text('password')} />
      <FormButtons submit={t('company.remove')} busy={form.busy} danger onCancel={onClose} />
    </form>
  )
}
