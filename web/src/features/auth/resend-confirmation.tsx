import { useMutation } from '@tanstack/react-query'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { api, unwrap } from '@/lib/api/client'
import { ApiError } from '@/lib/api/errors'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { DemoMailHint } from './demo-mail-hint'
import type { Credentials } from './enter'

/** The password is right, but the address is not confirmed: the mail with the link comes once more. */
export const isUnconfirmed = (error: unknown) =>
  error instanceof ApiError && error.code === 'email_unconfirmed'

export function ResendConfirmation({ credentials }: { credentials: Credentials }) {
  const { t, locale } = useT()
  const resend = useMutation({
    mutationFn: () => unwrap(api.POST('/api/auth/token/', { body: { ...credentials, resend: true } })),
  })
  // That the mail is on its way is a refusal, too: nobody is logged in by it.
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
