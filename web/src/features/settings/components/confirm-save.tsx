import { Callout } from '@/components/ui/callout'
import { Checkbox } from '@/components/ui/checkbox'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import type { Confirmation } from '../data'
import { type Change, raisesLimit, type Systems, touchesWiring } from '../model/draft'
import { ChangeList } from './change-list'

type Props = {
  open: boolean
  onClose: () => void
  changes: readonly Change[]
  systems: Systems
  /** Throws API errors. */
  send: (confirmation: Confirmation) => Promise<void>
}

/** Shows the changes and asks for confirmations, before anything is sent. */
export function ConfirmSave({ open, onClose, ...form }: Props) {
  const { t } = useT()
  const waits = form.systems.filter(({ state }) => state === 'waiting')
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('settings.confirm')}
      description={t('settings.confirm.text', {
        count: form.systems.length,
        systems: serialsOf(form.systems),
      })}
    >
      {waits.length > 0 && <Callout className="mb-4">{t('settings.state.waiting.text')}</Callout>}
      <ConfirmForm {...form} onClose={onClose} />
    </Dialog>
  )
}

const serialsOf = (systems: Systems) => systems.map(({ sn }) => sn).join(', ')

function ConfirmForm({ changes, systems, send, onClose }: Omit<Props, 'open'>) {
  const { t } = useT()
  const wiring = touchesWiring(changes, systems)
  const notice = raisesLimit(changes, systems)
  const form = useForm({
    initial: { password: '', acknowledge_14a: false },
    check: ({ password, acknowledge_14a }) => ({
      password: wiring && password === '' ? 'required' : null,
      acknowledge_14a: notice && !acknowledge_14a ? 'acknowledge_14a' : null,
    }),
    send,
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <ChangeList changes={changes} systems={systems} />
      {notice && (
        <Callout tone="warn" title={t('settings.notice_14a.title')}>
          <p>{t('settings.notice_14a')}</p>
          <Checkbox {...form.tick('acknowledge_14a')} label={t('settings.notice_14a.acknowledge')} />
        </Callout>
      )}
      {wiring && (
        <div className="grid gap-3">
          <p className="text-md text-muted">{t('settings.wiring')}</p>
          <CurrentPasswordField {...form.text('password')} />
        </div>
      )}
      <FormButtons submit={t('settings.send')} busy={form.busy} onCancel={onClose} />
    </form>
  )
}
