import { LookOnly } from '@/components/access/look-only'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import { type SystemTariffs, saveTariff } from '@/lib/data/money'
import { useForm } from '@/lib/form/use-form'
import { priceUnit } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { currencyOf } from '@/lib/money'
import { notify } from '@/lib/notify'
import type { SiteDay } from '@/lib/site-day'
import { useLookOnly } from '@/lib/use-look-only'
import { checkTariff, initialTariff, SINCE, tariffBody } from './model'

type Props = {
  /** The selected system. */
  sn: string
  /** The prices of every system that can be chosen. */
  systems: readonly SystemTariffs[]
  today: SiteDay
  onSaved?: () => void
}

/** The form, or an explanation for members who may only look. */
export function TariffForm(props: Props) {
  const { everywhere } = useLookOnly()
  return everywhere ? <LookOnly /> : <PriceForm {...props} />
}

/** A fixed import and feed-in price from a day on. */
function PriceForm({ sn, systems, today, onSaved }: Props) {
  const { t, locale } = useT()
  const form = useForm({
    initial: initialTariff(systems, sn, today, locale),
    check: checkTariff,
    send: async (values) => {
      await saveTariff(tariffBody(values, today))
      form.reset({ since: 'today', from: '' })
      notify.success(t('money.tariff.saved'))
      onSaved?.()
    },
  })
  const unit = priceUnit(currencyOf(systems))
  return (
    <form {...form.form} className="grid gap-4">
      <FormProblem form={form} />
      {systems.length > 1 && (
        <Select
          {...form.text('sn')}
          label={t('money.tariff.systems')}
          options={[
            { value: ALL_SYSTEMS, label: t('selector.all') },
            ...systems.map((system) => ({ value: system.sn, label: system.sn })),
          ]}
        />
      )}
      <Field
        {...form.text('import_price')}
        label={t('money.tariff.import', { unit })}
        inputMode="decimal"
        autoComplete="off"
        required
      />
      <Field
        {...form.text('feed_in_price')}
        label={t('money.tariff.feed_in', { unit })}
        hint={t('money.tariff.feed_in.hint')}
        inputMode="decimal"
        autoComplete="off"
        required
      />
      <Select
        {...form.text('since')}
        label={t('money.tariff.since')}
        hint={form.values.since === 'beginning' && t('money.tariff.since.beginning.hint')}
        options={SINCE.map((value) => ({ value, label: t(`money.tariff.since.${value}`) }))}
      />
      {form.values.since === 'day' && (
        <Field {...form.text('from')} label={t('money.tariff.day')} type="date" required />
      )}
      <Button type="submit" busy={form.busy} className="justify-self-start">
        {t('money.tariff.save')}
      </Button>
    </form>
  )
}
