import { cn } from '@/lib/cn'
import { type Currency, formatMoney } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'

type Props = {
  /** Over the last 30 days; negative is a loss. Null: no day counts yet. */
  cents: number | null
  currency: Currency
}

/** What planning has saved or lost so far, as a sentence. */
export function SavedText({ cents, currency }: Props) {
  const { t, locale } = useT()
  if (cents === null) return <p className="text-sm text-muted">{t('plan.saved.unknown')}</p>
  const word = cents === 0 ? 'same' : cents > 0 ? 'saved' : 'lost'
  return (
    <p className={cn('text-sm', cents < 0 ? 'font-medium text-danger' : 'text-muted')}>
      {t(`plan.sum.${word}`, { money: formatMoney(cents, currency, locale) })}
    </p>
  )
}
