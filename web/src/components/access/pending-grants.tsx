import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { pendingCount, pendingGrantsQuery } from '@/lib/api/grants'
import { useT } from '@/lib/i18n/use-t'
import { useSession } from '@/lib/session/session-store'

/** What waits for the reader's decision, where they land: invitations of an electrician, requests and unconfirmed access of an owner. */
export function PendingGrants({ className }: { className?: string }) {
  const { t } = useT()
  const electrician = useSession(({ role }) => role === 'electrician')
  const { data } = useQuery(pendingGrantsQuery)
  const count = pendingCount(data)
  if (!data || count === 0) return null
  const [first] = data.given
  const title =
    first && count === 1
      ? t(first.state === 'asked' ? 'pending.asked' : 'pending.unconfirmed', {
          who: first.company || first.email,
          sn: first.sn,
        })
      : t(electrician ? 'pending.invitations' : 'pending.decisions', { count })
  return (
    <Callout
      tone="info"
      title={title}
      className={className}
      action={
        <Link
          to={electrician ? '/electrician-settings' : '/settings'}
          hash="grants"
          className={buttonStyle({ variant: 'outline', size: 's' })}
        >
          {t(electrician ? 'pending.answer' : 'pending.decide')}
        </Link>
      }
    >
      {t(electrician ? 'pending.invitations.text' : 'pending.decisions.text')}
    </Callout>
  )
}
