import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'
import type { Currency } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import type { Money } from '@/lib/money'
import { SavedLine } from './saved-line'
import { type MoneyPeriod, useMoneyText } from './use-money-text'

type Props = {
  title: ReactNode
  money: Money
  currency: Currency
  /** Without it the line about the battery is left out. */
  period?: MoneyPeriod
  /** Why the amount is unknown, or an addition to it. */
  note?: ReactNode
  className?: string
}

/** What a day or a month cost or earned, its parts, and what the battery saved. */
export function MoneyFigure({ title, money, currency, period, note, className }: Props) {
  const { t } = useT()
  const { amount, outcome } = useMoneyText(currency)
  const { actual } = money
  return (
    <div className={cn('min-w-0', className)}>
      <h3 className="text-sm font-medium text-muted">{title}</h3>
      <p className="num mt-1.5 flex flex-wrap items-baseline gap-x-1.5 gap-y-1 text-4xl leading-none sm:text-6xl font-semibold tracking-tight">
        {actual === null ? <span aria-hidden>–</span> : amount(actual)}
        <span className="text-md font-medium tracking-normal text-muted">
          {actual === null ? t('value.unknown') : outcome(actual)}
        </span>
      </p>
      <dl className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
        {(['cost', 'income'] as const).map((part) => (
          <div key={part} className="flex flex-wrap items-center gap-x-1.5">
            <span
              aria-hidden
              className={cn('size-2 shrink-0 rounded-full bg-grid', part === 'income' && 'opacity-60')}
            />
            <dt>{t(part === 'cost' ? 'money.cost' : 'money.income')}</dt>
            <dd className="num font-medium text-text">{money[part] === null ? '–' : amount(money[part])}</dd>
          </div>
        ))}
      </dl>
      {period && (
        <SavedLine money={money} currency={currency} period={period} className="mt-3 text-md font-medium" />
      )}
      {note && <div className="mt-2 text-sm text-muted">{note}</div>}
    </div>
  )
}
