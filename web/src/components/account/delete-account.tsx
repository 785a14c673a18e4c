import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { api, unwrap } from '@/lib/api/client'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { logOutAfter } from '@/lib/session/log-out'
import { leaveLoginNotice } from '@/lib/session/login-notice'

type Props = {
  /** What else is deleted with the account. */
  more?: string | undefined
}

/** The button, and the dialog that asks for the password. */
export function DeleteAccount({ more }: Props) {
  const { t } = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)} className="justify-self-start">
        {t('account.delete')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t('account.delete.title')}
        description={t('account.delete.text')}
      >
        {more && <p className="mb-4 text-md">{more}</p>}
        <DeleteForm onCancel={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function DeleteForm({ onCancel }: { onCancel: () => void }) {
  const { t } = useT()
  const navigate = useNavigate()
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'required' : null }),
    send: async (body) => {
      await logOutAfter(() => unwrap(api.DELETE('/api/auth/account/', { body })))
      leaveLoginNotice('account_deleted')
      await navigate({ to: '/login' })
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <CurrentPasswordField {...form.text('password')} />
      <FormButtons submit={t('account.delete.confirm')} busy={form.busy} danger onCancel={onCancel} />
    </form>
  )
}
