import { Check } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  /** What the electrician confirms. */
  tick?: { name: 'notified' | 'tested' | 'instructed'; checked: boolean }
  /** What the electrician writes. */
  line?: { name: 'limit' | 'note'; value: string; unit?: string }
  /** Throws what the API throws. */
  send: (fields: Record<string, string | boolean>) => Promise<void>
}

/** Says what only a person can say, and has the server check the step. */
export function StepForm({ tick, line, send }: Props) {
  const { t } = useT()
  const form = useForm({
    initial: { tick: tick?.checked ?? false, [line?.name ?? 'line']: line?.value ?? '' },
    check: () => ({}),
    send: (values) =>
      send({
        ...(tick && { [tick.name]: values.tick === true }),
        ...(line && { [line.name]: String(values[line.name] ?? '') }),
      }),
  })
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      {line && (
        <Field
          {...form.text(line.name)}
          label={t(`commissioning.${line.name}`)}
          hint={t(`commissioning.${line.name}.hint`)}
          inputMode={line.unit ? 'numeric' : 'text'}
          autoComplete="off"
          trailing={
            line.unit && <span className="pointer-events-none pr-3.5 text-md text-muted">{line.unit}</span>
          }
        />
      )}
      {tick && <Checkbox {...form.tick('tick')} label={t(`commissioning.${tick.name}`)} />}
      <Button type="submit" size="l" busy={form.busy} className="w-full sm:w-auto sm:justify-self-start">
        <Check aria-hidden className="size-5" />
        {t('commissioning.check')}
      </Button>
    </form>
  )
}
