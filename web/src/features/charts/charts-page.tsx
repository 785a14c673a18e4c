import { Link } from '@tanstack/react-router'
import { CalendarDays } from 'lucide-react'
import { buttonStyle } from '@/components/ui/button'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'
import { BigChart } from './big-chart'
import { CompareMenu } from './components/compare-menu'

/** The charts page: the big chart for one system, or several below each other. */
export function ChartsPage() {
  const { t } = useT()
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <PageHeading>{t('charts.title')}</PageHeading>
        <div className="mb-4 flex flex-wrap gap-1.5">
          <Link to="/calendar" className={buttonStyle({ variant: 'outline', size: 's' })}>
            <CalendarDays aria-hidden className="size-4" />
            {t('calendar.title')}
          </Link>
          <CompareMenu />
        </div>
      </div>
      <BigChart ownPage />
    </>
  )
}
