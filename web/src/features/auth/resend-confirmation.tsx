import { useMutation } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { api, unwrap } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { DemoMailHint } from './demo-mail-hint'
import type { Credentials } from './log-in'

/** The password is right but the address is not confirmed; the mail can be resent. */
export const isUnconfirmed = (error: unknown) =>
  error instanceof ApiError && error.code === 'email_unconfirmed'

export function ResendConfirmation({ credentials }: { credentials: Credentials }) {
  const { t, locale } = useT()
  const resend = useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/token/', { body: { ...credentials, resend: true } })),
  })
  // The server reports the sent mail as an error, because nobody is logged in.
  const sent = resend.error instanceof ApiError && resend.error.code === 'confirm_resent'
  return (
    <div className="grid gap-3">
      {resend.error && (
        <Callout tone={sent ? 'ok' : 'danger'}>{refusalText(resend.error, t, locale)}</Callout>
      )}
      {sent ? (
        <DemoMailHint />
      ) : (
        <Button variant="outline" busy={resend.isPending} onClick={() => resend.mutate()}>
          {t('login.resend')}
        </Button>
      )}
    </div>
  )
}
