import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { PasswordField } from '@/components/ui/password-field'
import { Segmented } from '@/components/ui/segmented'
import { Skeleton } from '@/components/ui/skeleton'
import { useForm } from '@/lib/form/use-form'
import { openTexts } from '@/lib/i18n/i18n'
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import type { Role } from '@/lib/session/tokens'
import { acceptedFactors, type Credentials, type Doors, enter, enterByPasskey, type Factors } from './enter'
import { checkLogin } from './model'
import { PasskeyLogin } from './passkey-login'
import { isUnconfirmed, ResendConfirmation } from './resend-confirmation'

/** Most accounts have none: it comes when it is asked for. */
const TotpStep = lazyPart(async () => {
  const [{ TotpStep }] = await Promise.all([import('./totp-step'), openTexts('settings')])
  return TotpStep
})

type LoginValues = { email: string; password: string; stayLoggedIn: boolean }

type Props = Doors & {
  /** The choice at first; without it there is none, and only owners come in. */
  chooseFrom?: Role
}

export function LoginForm({ chooseFrom, ...doors }: Props) {
  const { t } = useT()
  /** Right so far, and a second factor is asked for. */
  const [half, setHalf] = useState<{ credentials: Credentials; factors: Factors } | null>(null)
  const [role, setRole] = useState<Role>(chooseFrom ?? 'user')
  const credentialsOf = ({ email, ...rest }: LoginValues) => ({
    email: email.trim(),
    electrician: role === 'electrician',
    ...rest,
  })
  const form = useForm({
    initial: { email: '', password: '', stayLoggedIn: false },
    check: checkLogin,
    send: async (values) => {
      const body = credentialsOf(values)
      try {
        await enter(body, doors)
      } catch (error) {
        const factors = acceptedFactors(error)
        if (!factors) throw error
        setHalf({ credentials: body, factors })
      }
    },
  })
  if (half)
    return (
      <Suspense fallback={<Skeleton className="h-56" />}>
        <TotpStep {...doors} {...half} onBack={() => setHalf(null)} />
      </Suspense>
    )
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      {isUnconfirmed(form.failure?.error) && (
        <ResendConfirmation key={form.attempt} credentials={credentialsOf(form.values)} />
      )}
      {chooseFrom && (
        <Segmented
          label={t('login.role')}
          value={role}
          onChange={setRole}
          options={[
            { value: 'user', label: t('role.user') },
            { value: 'electrician', label: t('role.electrician') },
          ]}
        />
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
      <PasswordField
        {...form.text('password')}
        label={t('form.password')}
        autoComplete="current-password"
        required
        action={
          <Link
            to="/lock"
            className="inline-flex min-h-6 items-center rounded-sm text-[13px] text-muted hover:text-text hover:underline"
          >
            {t('login.forgot')}
          </Link>
        }
      />
      <Checkbox {...form.tick('stayLoggedIn')} label={t('login.stay')} className="-my-2" />
      <Button type="submit" size="l" busy={form.busy}>
        {t('login.submit')}
      </Button>
      <PasskeyLogin
        label={t('login.passkey')}
        send={(passkey) => enterByPasskey(passkey, form.values.stayLoggedIn, doors)}
      />
    </form>
  )
}
