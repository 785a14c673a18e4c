import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { AddKeysForm } from '@/components/keys/add-keys-form'
import { ClaimList } from '@/components/keys/claim-list'
import { sortOutcomes } from '@/components/keys/model'
import { useClaims } from '@/components/keys/use-claims'
import { ReplaceUnit } from '@/components/replace/replace-unit'
import { buttonStyle } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { systemsQuery } from '@/lib/data/systems'
import { refusalText } from '@/lib/form/refusal-text'
import { useT } from '@/lib/i18n/use-t'
import { UnlinkSystem } from './unlink-system'

/** The owner's systems; adds and removes them. */
export function SystemsCard() {
  const { t } = useT()
  const { data: claims } = useClaims()
  const [added, setAdded] = useState(false)
  return (
    <Card title={t('account.systems')} description={t('account.systems.text')}>
      <div className="grid gap-5">
        <SystemRows />
        {claims && claims.length > 0 && <ClaimList claims={claims} />}
        <AddKeysForm
          onAdded={(results) => {
            if (sortOutcomes(results).linked.length > 0) setAdded(true)
          }}
        />
        {added && (
          <Callout
            tone="ok"
            title={t('account.systems.added')}
            action={
              <Link to="/logout" preload={false} className={buttonStyle({ variant: 'outline', size: 's' })}>
                {t('account.systems.log_out')}
              </Link>
            }
          >
            {t('account.systems.added.text')}
          </Callout>
        )}
      </div>
    </Card>
  )
}

function SystemRows() {
  const { t, locale } = useT()
  const { data: systems, error } = useQuery(systemsQuery)
  if (error && !systems) return <Callout tone="danger">{refusalText(error, t, locale)}</Callout>
  if (!systems) return <Skeleton key="waiting" className="h-12" />
  return (
    <ul key="systems" className="divide-y divide-line">
      {systems.map((system) => (
        <li key={system.sn} className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
          <span className="num min-w-0 font-medium break-all">{system.sn}</span>
          <span className="flex gap-1">
            {system.access === 'owner' && <ReplaceUnit sn={system.sn} variant="ghost" />}
            <UnlinkSystem sn={system.sn} isLast={systems.length === 1} />
          </span>
        </li>
      ))}
    </ul>
  )
}
