import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { useForm } from '@/lib/form/use-form'
import { joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { readNumber } from '@/lib/number'
import { checkCharge, checkPower, HOLD_HOURS, holdUntil } from './model'
import type { CommandState } from './use-command'

type RowProps = { icon: LucideIcon; title: string; text: string; children: ReactNode }

export function CommandRow({ icon: Icon, title, text, children }: RowProps) {
  return (
    <li className="grid gap-3 py-4 first:pt-0 last:pb-0">
      <div className="flex gap-3">
        <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0 text-battery-text" />
        <div className="min-w-0">
          <h3 className="text-md font-semibold">{title}</h3>
          <p className="text-sm text-muted">{text}</p>
        </div>
      </div>
      <div className="flex flex-wrap items-start gap-3 sm:pl-7.5">{children}</div>
    </li>
  )
}

type CommandProps = { state: CommandState }
type Plain = 'switch_on' | 'auto'
type Confirmed = 'switch_off' | 'calibrate' | 'restart'

type PlainProps = CommandProps & {
  name: Plain
  /** The command would change nothing. */
  idle?: boolean
}

export function PlainCommand({ name, state, idle = false }: PlainProps) {
  const { t } = useT()
  return (
    <Button
      variant="outline"
      size="s"
      keepsFocus
      disabled={state.busy || idle}
      onClick={() => state.give(name)}
    >
      {t(`command.${name}.give`)}
    </Button>
  )
}

/** A command with an effect in the house; asks for confirmation. */
export function ConfirmedCommand({ name, state }: CommandProps & { name: Confirmed }) {
  const { t } = useT()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button variant="outline" size="s" keepsFocus disabled={state.busy} onClick={() => setAsking(true)}>
        {t(`command.${name}.give`)}
      </Button>
      <Question
        open={asking}
        onClose={() => setAsking(false)}
        title={t(`command.${name}.ask`)}
        text={t(`command.${name}.ask.text`)}
        confirm={t(`command.${name}.give`)}
        onConfirm={() => state.give(name)}
      />
    </>
  )
}

type QuestionProps = {
  open: boolean
  onClose: () => void
  title: string
  text: string
  /** The button's label. */
  confirm: string
  onConfirm: () => void
}

function Question({ open, onClose, title, text, confirm, onConfirm }: QuestionProps) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={(stays) => !stays && onClose()}
      title={title}
      description={text}
      footer={
        <>
          <Button variant="outline" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button
            onClick={() => {
              onClose()
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </>
      }
    />
  )
}

/** Charging may buy from the grid, so it asks for confirmation. */
export function ChargeForm({ state }: CommandProps) {
  const { t, locale } = useT()
  const [asked, setAsked] = useState<{ soc: string; power?: string } | null>(null)
  const form = useForm({
    initial: { soc: '80', power: '' },
    check: ({ soc, power }) => ({ soc: checkCharge(soc), power: checkPower(power) }),
    send: async ({ soc, power }) => setAsked(power.trim() ? { soc, power } : { soc }),
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
      <Button
        type="submit"
        variant="outline"
        size="s"
        keepsFocus
        disabled={state.busy}
        className="justify-self-start"
      >
        {t('command.charge_to.give')}
      </Button>
      <Question
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={t('command.charge_to.ask', {
          soc: joinQuantity(percentQuantity(readNumber(asked?.soc ?? '') ?? 0, locale)),
        })}
        text={t('command.charge_to.ask.text')}
        confirm={t('command.charge_to.give')}
        onConfirm={() => asked && state.give('charge_to', asked)}
      />
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
        keepsFocus
        disabled={state.busy}
        onClick={() => state.give('hold', { until: String(holdUntil(hours, Date.now() + skew)) })}
        className="justify-self-start"
      >
        {t('command.hold.give')}
      </Button>
    </div>
  )
}
