import { CloudDownload } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'

/** @param action the way on, for as long as there is nothing here */
export function UpdatePage({ action }: { action: ReactNode }) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('nav.update')}</PageHeading>
      <EmptyState icon={CloudDownload} action={action}>
        {t('update.empty')}
      </EmptyState>
    </>
  )
}
