import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'
import { BigChart } from './big-chart'

/** The big chart on a page of its own. */
export function ChartsPage() {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('charts.title')}</PageHeading>
      <BigChart ownPage />
    </>
  )
}
