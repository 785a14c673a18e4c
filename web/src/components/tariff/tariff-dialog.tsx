import { Dialog } from '@/components/ui/dialog'
import type { SystemTariffs } from '@/lib/api/money-queries'
import { useT } from '@/lib/i18n/use-t'
import type { SiteDay } from '@/lib/site-day'
import { TariffForm } from './tariff-form'

type Props = {
  open: boolean
  onOpenChange: (open: boolean) => void
  sn: string
  systems: readonly SystemTariffs[]
  today: SiteDay
}

/** The form where somebody misses the prices, without leaving the page. */
export function TariffDialog({ open, onOpenChange, ...form }: Props) {
  const { t } = useT()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('money.tariff.title')}
      description={t('money.tariff.text')}
    >
      <TariffForm {...form} onSaved={() => onOpenChange(false)} />
    </Dialog>
  )
}
