import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { unlinkSystem } from './data'

/** Unlinks a system from the account. Asks for the password, because the history is erased. */
export function UnlinkSystem({ sn, isLast }: { sn: string; isLast: boolean }) {
  const { t } = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size="s"
        aria-label={t('account.unlink.label', { sn })}
        onClick={() => setOpen(true)}
      >
        {t('account.unlink')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t('account.unlink.title', { sn })}
        description={isLast ? t('account.unlink.last') : t('account.unlink.text')}
      >
        <UnlinkForm sn={sn} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function UnlinkForm({ sn, onClose }: { sn: string; onClose: () => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({ password: password === '' ? 'required' : null }),
    send: async (body) => {
      await unlinkSystem(sn, body)
      onClose()
      notify.success(t('account.unlink.done', { sn }))
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <CurrentPasswordField {...form.text('password')} />
      <FormButtons submit={t('account.unlink')} busy={form.busy} danger onCancel={onClose} />
    </form>
  )
}
