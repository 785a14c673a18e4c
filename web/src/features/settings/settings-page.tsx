import type { ReactNode } from 'react'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'

/** @param account profile, password and whatever else belongs to the person */
export function SettingsPage({ account }: { account: ReactNode }) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('nav.settings')}</PageHeading>
      {account}
    </>
  )
}
