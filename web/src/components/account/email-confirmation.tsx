import { useQuery } from '@tanstack/react-query'
import { Callout } from '@/components/ui/callout'
import { refusalText } from '@/lib/form/refusal-text'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { emailConfirmationQuery } from './data'

/** Confirms a new e-mail address by the link in the mail, `#email=…`. It works without a login, too. */
export function EmailConfirmation() {
  const { t, locale } = useT()
  const token = useFragment('email')
  const { data, error, isFetching } = useQuery(emailConfirmationQuery(token))
  if (data) return <Callout tone="ok">{t('account.email.changed', { email: data.email })}</Callout>
  if (isFetching) return <Callout>{t('account.email.confirming')}</Callout>
  return error ? <Callout tone="danger">{refusalText(error, t, locale)}</Callout> : null
}
