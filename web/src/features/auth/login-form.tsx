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
import { useT } from '@/lib/i18n/use-t'
import { lazyPart } from '@/lib/lazy-part'
import type { Role } from '@/lib/session/tokens'
import {
  acceptedFactors,
  type Credentials,
  type Factors,
  type LoginCallbacks,
  logInWithPasskey,
  logInWithPassword,
} from './log-in'
import { checkLogin } from './model'
import { PasskeyLogin } from './passkey-login'
import { isUnconfirmed, ResendConfirmation } from './resend-confirmation'

/** Loaded on demand: most accounts have no second factor. */
const TotpStep = lazyPart(async () => (await import('./totp-step')).TotpStep)

type LoginValues = { email: string; password: string; stayLoggedIn: boolean }

type Props = LoginCallbacks & {
  /** The initial role; without it only owners can log in. */
  chooseFrom?: Role
}

export function LoginForm({ chooseFrom, ...callbacks }: Props) {
  const { t } = useT()
  /** The credentials were right and a second factor is required. */
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
        await logInWithPassword(body, callbacks)
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
        <TotpStep {...callbacks} {...half} onBack={() => setHalf(null)} />
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
            className="inline-flex min-h-6 items-center rounded-sm text-sm text-muted hover:text-text hover:underline"
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
        send={(passkey) => logInWithPasskey(passkey, form.values.stayLoggedIn, callbacks)}
      />
    </form>
  )
}
