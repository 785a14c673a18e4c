import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { FormProblem } from '@/components/ui/form-problem'
import { NewPasswordFields } from '@/components/ui/new-password-fields'
import { api, unwrap } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { useForm } from '@/lib/form/use-form'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import { AuthHeading } from './auth-heading'
import { checkNewPassword } from './model'

/** Sets a new password by the mailed link `#token=…`. */
export function PasswordResetPage() {
  const { t } = useT()
  const token = useFragment('token')
  // The refused token: a newer link may be opened in the same tab.
  const [refused, setRefused] = useState<string | null>(null)
  return (
    <div className="grid gap-7">
      <AuthHeading title={t('reset.title')}>{t('reset.text')}</AuthHeading>
      {token && token !== refused ? (
        <ResetForm token={token} onLinkInvalid={() => setRefused(token)} />
      ) : (
        <>
          <Callout tone="danger">{t('reset.link_invalid')}</Callout>
          <Link to="/lock" className={buttonStyle({ size: 'l' })}>
            {t('reset.ask_again')}
          </Link>
        </>
      )}
    </div>
  )
}

function ResetForm({ token, onLinkInvalid }: { token: string; onLinkInvalid: () => void }) {
  const { t } = useT()
  const navigate = useNavigate()
  const form = useForm({
    initial: { password: '', password2: '' },
    check: checkNewPassword,
    send: async (values) => {
      try {
        const body = { token, ...values }
        const { role } = await unwrap(api.POST('/api/auth/password_reset/confirm/', { body }))
        leaveLoginNotice('password_reset', role)
        await navigate({ to: '/login' })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'link_invalid') throw error
        onLinkInvalid()
      }
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <NewPasswordFields password={form.text('password')} repeat={form.text('password2')} />
      <Button type="submit" size="l" busy={form.busy}>
        {t('reset.submit')}
      </Button>
    </form>
  )
}
