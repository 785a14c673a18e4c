import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Callout } from '@/components/ui/callout'
import { api, unwrap } from '@/lib/api/client'
import { accountQuery } from '@/lib/api/queries'
import { refusalText } from '@/lib/form/refusal-text'
import { useFragment } from '@/lib/fragment'
import { useT } from '@/lib/i18n/use-t'
import { once } from '@/lib/once-query'

/** Confirms a new e-mail address by the link in the mail, `#email=…`. It works without a login, too. */
export function EmailConfirmation() {
  const { t, locale } = useT()
  const token = useFragment('email')
  const queries = useQueryClient()
  const { data, error, isFetching } = useQuery({
    ...once,
    queryKey: ['email-confirmation', token],
    queryFn: () => unwrap(api.POST('/api/auth/account/email/confirm/', { body: { token: token ?? '' } })),
    enabled: token !== null,
  })
  useEffect(() => {
    if (data) void queries.invalidateQueries({ queryKey: accountQuery.queryKey })
  }, [data, queries])

  if (data) return <Callout tone="ok">{t('account.email.changed', { email: data.email })}</Callout>
  if (isFetching) return <Callout>{t('account.email.confirming')}</Callout>
  return error ? <Callout tone="danger">{refusalText(error, t, locale)}</Callout> : null
}
