import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/select'
import { TimeField } from '@/components/ui/time-field'
import { errorText } from '@/lib/api/errors'
import { formatNumber, priceUnit } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { saveTimeOfUse } from './data'
import { type Step, type SystemPrices, stepsText } from './model'

const DAYS = ['workdays', 'weekend'] as const

/** The form for time-of-use prices: each holds from its start until the next start on the same days. */
export function TimeOfUse({ systems, readOnly }: { systems: readonly SystemPrices[]; readOnly: boolean }) {
  const { t, locale } = useT()
  const [steps, setSteps] = useState<Step[]>(() => {
    const typed = systems[0]?.steps ?? []
    const known = typed.map(({ days, start, price }, id) => ({
      id,
      days: days === 'weekend' ? ('weekend' as const) : ('workdays' as const),
      start,
      price: formatNumber(price, locale, 2),
    }))
    return known.length > 0 ? known : [{ id: 0, days: 'workdays', start: '00:00', price: '' }]
  })
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const title = useId()
  const unit = priceUnit(systems[0]?.currency ?? 'EUR')
  const change = (id: number, part: Partial<Step>) =>
    setSteps((before) => before.map((step) => (step.id === id ? { ...step, ...part } : step)))
  const add = () =>
    setSteps((before) => [
      ...before,
      { id: 1 + Math.max(...before.map(({ id }) => id)), days: 'workdays', start: '06:00', price: '' },
    ])

  async function save(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await saveTimeOfUse(
        systems.map(({ sn }) => sn),
        stepsText(steps),
      )
      notify.success(t('settings.prices.steps.saved'))
    } catch (refused) {
      setError(refused)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form aria-labelledby={title} onSubmit={(event) => void save(event)} className="grid gap-3">
      <h3 id={title} className="font-semibold">
        {t('settings.prices.steps')}
      </h3>
      <p className="text-md text-muted">{t('settings.prices.steps.text')}</p>
      {error !== null && (
        <Callout tone="danger" title={t('settings.prices.steps.refused')}>
          {errorText(error, t)}
        </Callout>
      )}
      <fieldset disabled={readOnly} className="grid gap-3">
        <legend className="sr-only">{t('settings.prices.steps')}</legend>
        {steps.map((step) => (
          <div key={step.id} className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[2fr_1fr_1fr_auto]">
            <Select
              label={t('settings.prices.steps.days')}
              value={step.days}
              onChange={({ target }) => change(step.id, { days: target.value as Step['days'] })}
              options={DAYS.map((value) => ({ value, label: t(`settings.prices.steps.${value}`) }))}
            />
            <TimeField
              label={t('settings.prices.steps.start')}
              value={step.start}
              onChange={({ target }) => change(step.id, { start: target.value })}
              required
            />
            <Field
              label={t('settings.prices.steps.price', { unit })}
              inputMode="decimal"
              autoComplete="off"
              value={step.price}
              onChange={({ target }) => change(step.id, { price: target.value })}
              required
            />
            <Button
              type="button"
              variant="outline"
              keepsFocus
              disabled={steps.length === 1}
              aria-label={t('settings.prices.steps.remove', { time: step.start })}
              onClick={() => setSteps((before) => before.filter(({ id }) => id !== step.id))}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </div>
        ))}
        {!readOnly && (
          <div className="flex flex-wrap gap-3">
            <Button type="button" variant="outline" onClick={add}>
              <Plus aria-hidden className="size-4" />
              {t('settings.prices.steps.add')}
            </Button>
            <Button type="submit" busy={busy}>
              {t('settings.prices.steps.save')}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  )
}
