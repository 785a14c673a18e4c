import { Link } from '@tanstack/react-router'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { FormProblem } from '@/components/ui/form-problem'
import { textLinkStyle } from '@/components/ui/text-link'
import { api, unwrap } from '@/lib/api/client'
import { useForm } from '@/lib/form/use-form'
import { useT } from '@/lib/i18n/use-t'
import { checkEmail } from '@/lib/validation/email'
import { AuthHeading } from './auth-heading'
import { DemoMailHint } from './demo-mail-hint'

/** Requests a link to set a new password. The answer does not reveal whether the address is known. */
export function LockPage() {
  const { t } = useT()
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <div className="grid gap-7">
      {sentTo ? (
        <>
          <MailCheck aria-hidden className="size-10 text-battery-text" />
          <AuthHeading takesFocus title={t('register.check_mail')}>
            {t('lock.sent', { email: sentTo })}
          </AuthHeading>
          <p className="text-md text-muted">{t('mail.not_found')}</p>
          <DemoMailHint />
        </>
      ) : (
        <>
          <AuthHeading title={t('lock.title')}>{t('lock.text')}</AuthHeading>
          <AskForm onSent={setSentTo} />
        </>
      )}
      <p className="text-center text-md">
        <Link to="/login" className={textLinkStyle}>
          {t('lock.back')}
        </Link>
      </p>
    </div>
  )
}

function AskForm({ onSent }: { onSent: (email: string) => void }) {
  const { t } = useT()
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({ email: checkEmail(email) }),
    send: async (values) => {
      const email = values.email.trim()
      await unwrap(api.POST('/api/auth/password_reset/', { body: { email } }))
      onSent(email)
    },
  })
  return (
    <form {...form.form} className="grid gap-5">
      <FormProblem form={form} />
      <Field
        {...form.text('email')}
        label={t('form.email')}
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Button type="submit" size="l" busy={form.busy}>
        {t('lock.submit')}
      </Button>
    </form>
  )
}
