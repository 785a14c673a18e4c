import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { Select } from '@/components/ui/select'
import type { Account } from '@/lib/data/account'
import { useForm } from '@/lib/form/use-form'
import { countryOptions } from '@/lib/i18n/country-names'
import { LOCALES } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { notify } from '@/lib/notify'
import { loadPhoneCheck } from '@/lib/validation/load-phone-check'
import { changeAccount } from './change-account'
import { checkProfile, profileBody } from './model'

const LANGUAGES = Object.entries(LOCALES).map(([value, label]) => ({ value, label }))

export function ProfileCard({ account }: { account: Account }) {
  const { t, locale } = useT()
  const isElectrician = account.role === 'electrician'
  const leads = account.company_role === 'owner'
  const named = isElectrician && account.name !== null
  const { phone, country, language } = account
  const form = useForm({
    initial: {
      phone,
      country,
      language,
      address: account.address ?? '',
      name: account.name ?? '',
      company: account.company ?? '',
    },
    check: async (values) => checkProfile(values, { leads, named }, await loadPhoneCheck().catch(() => null)),
    send: async (values) => {
      await changeAccount(profileBody(values, { isElectrician, leads }))
      notify.success(t('account.saved'))
    },
  })
  return (
    <Card title={t('account.profile')} description={account.email}>
      <form {...form.form} className="grid gap-4">
        <FormProblem form={form} />
        {isElectrician && (
          <Field
            {...form.text('name')}
            label={t('form.name')}
            hint={t('form.name.hint')}
            autoComplete="name"
            required={named}
          />
        )}
        {leads && (
          <Field {...form.text('company')} label={t('form.company')} autoComplete="organization" required />
        )}
        <Select
          {...form.text('country')}
          label={t('form.country')}
          options={countryOptions(locale)}
          autoComplete="country"
          required
        />
        <Field {...form.text('phone')} label={t('form.phone')} type="tel" autoComplete="tel" required />
        {!isElectrician && (
          <Field
            {...form.text('address')}
            label={t('account.address')}
            hint={t('account.address.hint')}
            autoComplete="street-address"
          />
        )}
        <Select {...form.text('language')} label={t('account.mail_language')} options={LANGUAGES} />
        <Button type="submit" busy={form.busy} className="justify-self-start">
          {t('account.save')}
        </Button>
      </form>
    </Card>
  )
}
