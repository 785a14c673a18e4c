import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { pendingCount, pendingGrantsQuery } from '@/lib/data/grants'
import { useT } from '@/lib/i18n/use-t'

/** Requests and unconfirmed grants that need the owner's decision. */
export function DecisionsNotice() {
  const { t } = useT()
  const { data } = useQuery(pendingGrantsQuery)
  const count = pendingCount(data)
  if (!data || count === 0) return null
  const [first] = data.given
  const title =
    first && count === 1
      ? t(first.state === 'asked' ? 'decisions.asked' : 'decisions.unconfirmed', {
          who: first.company || first.email,
          sn: first.sn,
        })
      : t('pending.decisions', { count })
  return (
    <Callout
      tone="info"
      title={title}
      action={
        <Link to="/settings" hash="grants" className={buttonStyle({ variant: 'outline', size: 's' })}>
          {t('decisions.answer')}
        </Link>
      }
    >
      {t('decisions.text')}
    </Callout>
  )
}
