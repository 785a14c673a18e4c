import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Answer } from '@/components/ui/answer'
import { Skeleton } from '@/components/ui/skeleton'
import { LIVE_REFRESH } from '@/lib/constants'
import { type Grants, grantsQuery } from '@/lib/data/grants'
import { useT } from '@/lib/i18n/use-t'

/** Loads the grants: a placeholder of their size before, a retry after a failure. */
export function WithGrants({ children }: { children: (grants: Grants) => ReactNode }) {
  const { t } = useT()
  // Polled, because the other side may answer at any time.
  const grants = useQuery({ ...grantsQuery, refetchInterval: LIVE_REFRESH })
  return (
    <Answer
      query={grants}
      failed={t('grants.failed')}
      waiting={
        <div className="grid gap-5">
          <Skeleton className="h-40" />
          <Skeleton className="h-40" />
        </div>
      }
    >
      {children}
    </Answer>
  )
}
