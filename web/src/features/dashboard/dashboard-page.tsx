import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonStyle } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'

/** @param systems the owner's systems */
export function DashboardPage({ systems }: { systems: ReactNode }) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('nav.dashboard')}</PageHeading>
      <div className="grid gap-4 lg:gap-5">
        <EmptyState
          icon={Activity}
          action={
            <Link to="/settings" className={buttonStyle({ variant: 'outline' })}>
              {t('empty.to_settings')}
            </Link>
          }
        >
          {t('empty.readings')}
        </EmptyState>
        {systems}
      </div>
    </>
  )
}
