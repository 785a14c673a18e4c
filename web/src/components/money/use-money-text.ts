import { type Currency, formatMoney } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { type Money, outcomeOf, withoutBatteryOf } from '@/lib/money'

/** Money in words: a sign alone says nothing, and what is not known is not zero. */
export function useMoneyText(currency: Currency) {
  const { t, locale } = useT()
  const amount = (cents: number | null) =>
    cents === null ? t('value.unknown') : formatMoney(cents, currency, locale)
  return {
    /** "3,20 €" */
    amount,
    /** "Kosten" or "Einnahmen" */
    outcome: (actual: number) => t(`money.outcome.${outcomeOf(actual)}`),
    /** "Kosten 3,20 €" */
    named: (actual: number | null) =>
      actual === null ? t('value.unknown') : `${t(`money.outcome.${outcomeOf(actual)}`)} ${amount(actual)}`,
    /** "Ohne Speicher wären es 3,20 € mehr gewesen." */
    withoutBattery: (money: Money) => {
      const found = withoutBatteryOf(money)
      if (!found) return t('money.without_battery.unknown')
      return t(`money.without_battery.${found.word}`, { money: amount(found.cents) })
    },
  }
}
