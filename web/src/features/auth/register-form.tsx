import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { NewPasswordFields } from '@/components/ui/new-password-fields'
import { Segmented } from '@/components/ui/segmented'
import { Select } from '@/components/ui/select'
import { api, unwrap } from '@/lib/api/client'
import type { KeyResult } from '@/lib/data/claims'
import { useForm } from '@/lib/form/use-form'
import { countryOptions, likelyCountry } from '@/lib/i18n/country-names'
import { useT } from '@/lib/i18n/use-t'
import type { Role } from '@/lib/session/tokens'
import { loadPhoneCheck } from '@/lib/validation/load-phone-check'
import { KeyFields } from './key-fields'
import { checkRegistration, emptyRegistration, registrationBody } from './model'
import { TermsCheckbox } from './terms-checkbox'

/** The server's answer. `confirm`: the mailed link has to be opened first. */
export type Registered = {
  confirm: boolean
  keys: KeyResult[]
  watch: string | null
  email: string
  role: Role
}

type Props = {
  /** A code from a mailed link, which fills the first field. */
  firstKey?: string
  role: Role
  onRole: (role: Role) => void
  onRegistered: (registered: Registered) => void
}

export function RegisterForm({ firstKey = '', role, onRole, onRegistered }: Props) {
  const { t, locale } = useT()
  const form = useForm({
    initial: { ...emptyRegistration(likelyCountry(locale)), sn1: firstKey },
    check: async (values) => checkRegistration(values, role, await loadPhoneCheck().catch(() => null)),
    send: async (values) => {
      const body = registrationBody(values, role)
      const answer = await unwrap(api.POST('/api/auth/register/', { body }))
      onRegistered({ ...answer, email: body.email, role })
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <Segmented
        label={t('register.role')}
        value={role}
        onChange={onRole}
        options={[
          { value: 'user', label: t('role.user') },
          { value: 'electrician', label: t('role.electrician') },
        ]}
      />
      {role === 'electrician' && (
        <Field {...form.text('company')} label={t('form.company')} autoComplete="organization" required />
      )}
      <Field
        {...form.text('email')}
        label={t('form.email')}
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <NewPasswordFields
        password={form.text('password')}
        repeat={form.text('password2')}
        label={t('form.password')}
      />
      <Select
        {...form.text('country')}
        label={t('form.country')}
        placeholder={t('form.choose')}
        options={countryOptions(locale)}
        autoComplete="country"
        required
      />
      <Field {...form.text('phone')} label={t('form.phone')} type="tel" autoComplete="tel" required />
      {role === 'user' && (
        <KeyFields fields={(['sn1', 'sn2', 'sn3'] as const).map((name) => form.text(name))} />
      )}
      <TermsCheckbox {...form.tick('terms')} />
      <Button type="submit" size="l" busy={form.busy}>
        {t('register.submit')}
      </Button>
    </form>
  )
}
