import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { CurrentPasswordField } from '@/components/ui/current-password-field'
import { Dialog } from '@/components/ui/dialog'
import { FormButtons } from '@/components/ui/form-buttons'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import type { Systems } from '../model/draft'

type Wish = { wiring: boolean; password?: string }
type Props = {
  systems: Systems
  /** Something is typed and not sent: it would be lost. */
  disabled: boolean
  /** Throws what the API throws. */
  reset: (wish: Wish) => Promise<void>
}

/** Back to the defaults, after a question; the wiring only if that is meant. */
export function ResetSettings({ systems, disabled, reset }: Props) {
  const { t } = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="ghost" size="s" disabled={disabled} onClick={() => setOpen(true)} className="-ml-3">
        <RotateCcw aria-hidden className="size-4" />
        {t('settings.reset')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t('settings.reset.title')}
        description={t('settings.reset.text', { systems: systems.map(({ sn }) => sn).join(', ') })}
      >
        <ResetForm
          reset={async (wish) => {
            await reset(wish)
            setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        />
      </Dialog>
    </>
  )
}

function ResetForm({ reset, onCancel }: Pick<Props, 'reset'> & { onCancel: () => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { wiring: false, password: '' },
    check: ({ wiring, password }) => ({ password: wiring && password === '' ? 'required' : null }),
    send: ({ wiring, password }) => reset(wiring ? { wiring, password } : { wiring }),
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <Checkbox {...form.tick('wiring')} label={t('settings.reset.wiring')} />
      {form.values.wiring && <CurrentPasswordField {...form.text('password')} hint={t('settings.wiring')} />}
      <FormButtons submit={t('settings.reset')} busy={form.busy} danger onCancel={onCancel} />
    </form>
  )
}
