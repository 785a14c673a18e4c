import { Check } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import type { Commissioning } from '../model'

type Props = {
  commissioning: Commissioning
  /** Throws what the API throws. */
  send: (fields: Record<string, string>) => Promise<void>
}

const checkText = (text: string) => (text.trim() === '' ? 'required' : null)

/** For whom it is done, and where. */
export function CustomerForm({ commissioning: { first_name, last_name, place }, send }: Props) {
  const { t } = useT()
  const form = useForm({
    initial: { first_name, last_name, place },
    check: (values) => ({
      first_name: checkText(values.first_name),
      last_name: checkText(values.last_name),
      place: checkText(values.place),
    }),
    send: (values) => send(values),
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field {...form.text('first_name')} label={t('end_user.first_name')} autoComplete="off" required />
        <Field {...form.text('last_name')} label={t('end_user.last_name')} autoComplete="off" required />
      </div>
      <Field
        {...form.text('place')}
        label={t('commissioning.place')}
        hint={t('commissioning.place.hint')}
        autoComplete="off"
        required
      />
      <Button type="submit" size="l" busy={form.busy} className="w-full sm:w-auto sm:justify-self-start">
        <Check aria-hidden className="size-5" />
        {t('commissioning.check')}
      </Button>
    </form>
  )
}
