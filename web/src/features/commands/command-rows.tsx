import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { checkCharge, checkPower, HOLD_HOURS, holdUntil } from './model'
import type { CommandState } from './use-command'

type RowProps = { icon: LucideIcon; title: string; text: string; children: ReactNode }

export function CommandRow({ icon: Icon, title, text, children }: RowProps) {
  return (
    <li className="grid gap-3 py-4 first:pt-0 last:pb-0">
      <div className="flex gap-3">
        <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0 text-battery-text" />
        <div className="min-w-0">
          <h3 className="text-[14px] font-semibold">{title}</h3>
          <p className="text-[13px] text-muted">{text}</p>
        </div>
      </div>
      <div className="flex flex-wrap items-start gap-3 sm:pl-7.5">{children}</div>
    </li>
  )
}

type CommandProps = { state: CommandState }
type Plain = 'switch_on' | 'auto'
type Asked = 'switch_off' | 'calibrate'

export function PlainCommand({ name, state }: CommandProps & { name: Plain }) {
  const { t } = useT()
  return (
    <Button variant="outline" size="s" disabled={state.busy} onClick={() => state.give(name)}>
      {t(`command.${name}.give`)}
    </Button>
  )
}

/** For what is felt in the house: a question first. */
export function AskedCommand({ name, state }: CommandProps & { name: Asked }) {
  const { t } = useT()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button variant="outline" size="s" disabled={state.busy} onClick={() => setAsking(true)}>
        {t(`command.${name}.give`)}
      </Button>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t(`command.${name}.ask`)}
        description={t(`command.${name}.ask.text`)}
        footer={
          <>
            <Button variant="outline" onClick={() => setAsking(false)}>
              {t('ui.cancel')}
            </Button>
            <Button
              onClick={() => {
                setAsking(false)
                state.give(name)
              }}
            >
              {t(`command.${name}.give`)}
            </Button>
          </>
        }
      />
    </>
  )
}

export function ChargeForm({ state }: CommandProps) {
  const { t } = useT()
  const form = useForm({
    initial: { soc: '80', power: '' },
    check: ({ soc, power }) => ({ soc: checkCharge(soc), power: checkPower(power) }),
    send: async ({ soc, power }) => state.give('charge_to', power.trim() ? { soc, power } : { soc }),
  })
  return (
    <form {...form.form} className="grid w-full gap-3">
      <FormProblem form={form} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          {...form.text('soc')}
          label={t('command.soc')}
          inputMode="numeric"
          autoComplete="off"
          required
        />
        <Field {...form.text('power')} label={t('command.power')} inputMode="numeric" autoComplete="off" />
      </div>
      <Button type="submit" variant="outline" size="s" disabled={state.busy} className="justify-self-start">
        {t('command.charge_to.give')}
      </Button>
    </form>
  )
}

export function HoldForm({ state, skew }: CommandProps & { skew: number }) {
  const { t } = useT()
  const [hours, setHours] = useState<string>(HOLD_HOURS[0])
  return (
    <div className="grid w-full gap-3">
      <Select
        name="hold_hours"
        label={t('command.hold.for')}
        value={hours}
        options={HOLD_HOURS.map((value) => ({ value, label: t('command.hours', { count: Number(value) }) }))}
        onChange={({ target }) => setHours(target.value)}
      />
      <Button
        variant="outline"
        size="s"
        disabled={state.busy}
        onClick={() => state.give('hold', { until: String(holdUntil(hours, Date.now() + skew)) })}
        className="justify-self-start"
      >
        {t('command.hold.give')}
      </Button>
    </div>
  )
}
