import { BatteryMedium } from 'lucide-react'
import { cn } from '@/lib/cn'
import type { Currency } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { type Money, savedOf } from '@/lib/money'
import { type MoneyPeriod, useMoneyText } from './use-money-text'

type Props = {
  money: Money
  currency: Currency
  period: MoneyPeriod
  className?: string
}

/** What the battery saved or lost, in one sentence. */
export function SavedLine({ money, currency, period, className }: Props) {
  const { t } = useT()
  const { saved } = useMoneyText(currency)
  if (money.actual === null) return null
  return (
    <p className={cn('flex items-start gap-2', className)}>
      <BatteryMedium aria-hidden className="mt-[0.12em] size-[1.15em] shrink-0 text-battery" />
      <span className="min-w-0 text-pretty">
        {saved(money, period)}
        {savedOf(money)?.word === 'lost' && (
          <span className="text-md font-normal text-muted"> {t('money.stored')}</span>
        )}
      </span>
    </p>
  )
}
