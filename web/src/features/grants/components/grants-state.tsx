import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NotLoaded } from '@/components/ui/not-loaded'
import { Skeleton } from '@/components/ui/skeleton'
import { type Grants, grantsQuery } from '@/lib/data/grants'
import { LIVE_REFRESH } from '@/lib/constants'
import { useT } from '@/lib/i18n/use-t'

/** Loads the grants: a placeholder of their size before, a retry after a failure. */
export function WithGrants({ children }: { children: (grants: Grants) => ReactNode }) {
  const { t } = useT()
  // Polled, because the other side may answer at any time.
  const { data, error, isFetching, refetch } = useQuery({ ...grantsQuery, refetchInterval: LIVE_REFRESH })
  if (data) return children(data)
  if (!error)
    return (
      <div key="waiting" aria-busy="true" className="grid gap-5">
        <Skeleton className="h-40" />
        <Skeleton className="h-40" />
      </div>
    )
  return <NotLoaded title={t('grants.failed')} error={error} busy={isFetching} onRetry={refetch} />
}
