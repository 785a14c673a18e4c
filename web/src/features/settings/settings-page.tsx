import type { ReactNode } from 'react'
import { PageHeading } from '@/components/ui/page-heading'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  /** Electricity prices, for owners. */
  tariff: ReactNode
  /** Profile, password and whatever else belongs to the person. */
  account: ReactNode
}

export function SettingsPage({ tariff, account }: Props) {
  const { t } = useT()
  return (
    <>
      <PageHeading>{t('nav.settings')}</PageHeading>
      <div className="grid max-w-5xl gap-5">
        {tariff}
        {account}
      </div>
    </>
  )
}
