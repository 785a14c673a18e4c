import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Skeleton } from '@/components/ui/skeleton'
import { ApiError } from '@/lib/api/errors'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { AuthHeading } from './auth-heading'
import { registrationConfirmationQuery } from './data'
import { AccountReady } from './registration-done'

/** Confirms a registration by its mailed link, which works only once. */
export function ConfirmRegistration({ token }: { token: string }) {
  const { t, locale } = useT()
  const { data, error, isFetching, refetch } = useQuery(registrationConfirmationQuery(token))
  if (data) return <AccountReady keys={data.keys} role={data.role} watch={data.watch} />
  const used = error instanceof ApiError && error.code === 'link_invalid'
  return (
    <div className="grid gap-6" aria-busy={isFetching}>
      <AuthHeading title={t('register.confirm')} />
      {error ? (
        <Callout tone="danger">{used ? t('register.link_invalid') : refusalText(error, t, locale)}</Callout>
      ) : (
        <Skeleton className="h-24" />
      )}
      {error && !used && (
        <Button size="l" busy={isFetching} onClick={() => void refetch()}>
          {t('ui.retry')}
        </Button>
      )}
      {used && (
        <Link to="/login" className={buttonStyle({ size: 'l' })}>
          {t('register.to_login')}
        </Link>
      )}
    </div>
  )
}
