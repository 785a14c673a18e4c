import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { PasswordField } from '@/components/ui/password-field'
import { Segmented } from '@/components/ui/segmented'
import { api, unwrap } from '@/lib/api/client'
import { limitedAccessOf } from '@/lib/api/errors'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { startLimitedSession, startSession } from '@/lib/session/session-store'
import type { Role } from '@/lib/session/tokens'
import { checkLogin } from './model'

type Props = {
  /** The choice at first; without it there is none, and only owners come in. */
  chooseFrom?: Role
  onLoggedIn: (role: Role) => unknown
  /** The password was right, but no system is linked. */
  onNoSystems: () => unknown
}

export function LoginForm({ chooseFrom, onLoggedIn, onNoSystems }: Props) {
  const { t } = useT()
  const [role, setRole] = useState<Role>(chooseFrom ?? 'user')
  const form = useForm({
    initial: { email: '', password: '', stayLoggedIn: false },
    check: checkLogin,
    send: async ({ email, ...rest }) => {
      const body = { email: email.trim(), electrician: role === 'electrician', ...rest }
      try {
        const tokens = await unwrap(api.POST('/api/auth/token/', { body }))
        await startSession(tokens)
        await onLoggedIn(tokens.role)
      } catch (error) {
        const limited = limitedAccessOf(error)
        if (!limited) throw error
        startLimitedSession(limited)
        await onNoSystems()
      }
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
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
    </form>
  )
}
