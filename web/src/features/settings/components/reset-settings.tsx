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

type ResetOptions = { wiring: boolean; password?: string }
type Props = {
  systems: Systems
  /** There are unsent changes. */
  disabled: boolean
  /** Throws API errors. */
  reset: (options: ResetOptions) => Promise<void>
}

/** Resets to the defaults after a confirmation; the wiring only if requested. */
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
          reset={async (options) => {
            await reset(options)
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
