import { type Currency, formatMoney } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { type Money, outcomeOf, savedOf } from '@/lib/money'

/** `period` is a time that is named beside the amount. */
export type MoneyPeriod = 'today' | 'month' | 'period'

/**
 * Formats money with words: costs and earnings have names instead of signs, and an unknown amount is not
 * zero.
 */
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
    /** "Der Speicher hat diesen Monat 7,38 € gespart." */
    saved: (money: Money, period: MoneyPeriod) => {
      const found = savedOf(money)
      if (!found) return t('money.battery.unknown')
      return t(`money.battery.${found.word}.${period}`, { money: amount(found.cents) })
    },
  }
}
