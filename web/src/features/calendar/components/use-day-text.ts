import { useMoneyText } from '@/components/money/use-money-text'
import { energyQuantity, formatFullDay, joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { type CalendarDay, isMeasured } from '../model/day'
import type { CalendarMonth } from '../use-month'

/** The texts of a day: single numbers, and a sentence for screen readers. */
export function useDayText({ currency, withMoney }: Pick<CalendarMonth, 'currency' | 'withMoney'>) {
  const { t, locale } = useT()
  const { amount, outcome, named } = useMoneyText(currency)
  const energy = (wattHours: number | null) =>
    wattHours === null ? '–' : joinQuantity(energyQuantity(wattHours, locale))
  const percent = (value: number | null) =>
    value === null ? '–' : joinQuantity(percentQuantity(value, locale))
  const share = (value: number | null) => (value === null ? '–' : percentQuantity(value, locale).value)

  function sentence(day: CalendarDay): string {
    const { selfSufficiency, energies, consumed, money, planned } = day
    const values = isMeasured(day)
      ? [
          `${t('today.self_sufficiency')} ${percent(selfSufficiency)}`,
          `${t('calendar.pv')} ${energy(energies.pv)}`,
          `${t('calendar.consumption')} ${energy(consumed)}`,
          ...(withMoney && money.actual !== null ? [named(money.actual)] : []),
        ]
      : day.ahead
        ? []
        : [t('calendar.no_values')]
    const said = [
      ...(day.today ? [t('calendar.today')] : []),
      ...values,
      ...planned.map((what) => t(`calendar.planned.${what}`)),
    ]
    const name = formatFullDay(day.day, locale)
    return said.length > 0 ? `${name}: ${said.join(', ')}` : name
  }

  return { energy, percent, share, amount, outcome, named, sentence }
}

export type DayText = ReturnType<typeof useDayText>
