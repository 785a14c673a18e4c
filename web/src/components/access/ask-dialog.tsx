import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { type AccessRequest, requestAccess } from './data'
import { MessageField } from './message-field'

type FormProps = { requests: readonly AccessRequest[]; renewal: boolean; onClose: () => void }

/** Shows the requested scopes, and takes a message to the owners. */
export function AskDialog({ open, ...form }: FormProps & { open: boolean }) {
  const { t } = useT()
  const { requests, renewal, onClose } = form
  const systems = requests.map(({ sn }) => sn).join(', ')
  return (
    <Dialog
      open={open}
      tall
      onOpenChange={(next) => !next && onClose()}
      title={t(renewal ? 'ask.renewal.title' : 'ask.title')}
      description={t(renewal ? 'ask.renewal.text' : 'ask.text', { count: requests.length, systems })}
    >
      <AskForm {...form} />
    </Dialog>
  )
}

function AskForm({ requests, renewal, onClose }: FormProps) {
  const { t } = useT()
  const form = useForm({
    initial: { message: '' },
    check: () => ({}),
    send: async ({ message }) => {
      await requestAccess(requests, message)
      notify.success(t('ask.done', { count: requests.length }))
      onClose()
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <MessageField field={form.text('message')} />
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="outline" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <Button type="submit" busy={form.busy}>
          {t(renewal ? 'ask.renewal' : 'ask.service')}
        </Button>
      </div>
    </form>
  )
}
