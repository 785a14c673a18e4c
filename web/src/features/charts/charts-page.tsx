import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'
import { BigChart } from './big-chart'
import { CompareMenu } from './components/compare-menu'

/** The big chart on a page of its own, for one system or several under each other. */
export function ChartsPage() {
  const { t } = useT()
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <PageHeading>{t('charts.title')}</PageHeading>
        <div className="mb-4">
          <CompareMenu />
        </div>
      </div>
      <BigChart ownPage />
    </>
  )
}
