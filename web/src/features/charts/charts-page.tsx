import { ChartLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'

/** @param action the way on, for as long as there is nothing here */
export function ChartsPage({ action }: { action: ReactNode }) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('charts.title')}</PageHeading>
      <EmptyState icon={ChartLine} action={action}>
        {t('charts.empty')}
      </EmptyState>
    </>
  )
}
