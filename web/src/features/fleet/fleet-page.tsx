import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LayoutDashboard } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { systemsQuery } from '@/lib/api/queries'
import { useT } from '@/lib/i18n/use-t'

/** @param systems the list, for as long as there is something in it, it is loading or it failed to */
export function FleetPage({ systems }: { systems: ReactNode }) {
  const { t } = useT()
  const { data } = useQuery(systemsQuery)
  return (
    <>
      <PageHeading aside={data && data.length > 0 && t('top.systems', { count: data.length })}>
        {t('nav.fleet')}
      </PageHeading>
      {data?.length === 0 ? (
        <EmptyState
          icon={LayoutDashboard}
          action={
            <Link to="/electrician-settings" className={buttonStyle({ variant: 'outline' })}>
              {t('empty.to_settings')}
            </Link>
          }
        >
          {t('fleet.empty')}
        </EmptyState>
      ) : (
        systems
      )}
    </>
  )
}
