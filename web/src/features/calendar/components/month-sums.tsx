import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MoneyFigure } from '@/components/money/money-figure'
import { lacksPrices } from '@/components/tariff/model'
import { buttonStyle } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { balanceOf, selfConsumptionOf, selfSufficiencyOf, totalsOf } from '@/lib/energy'
import { useT } from '@/lib/i18n/use-t'
import { sumOf } from '@/lib/money'
import type { CalendarMonth } from '../use-month'
import { useDayText } from './use-day-text'

/** The month's totals. */
export function MonthSums({ calendar, name }: { calendar: CalendarMonth; name: string }) {
  const { t } = useT()
  const { waiting, energy } = calendar
  return (
    <Card title={t('calendar.sums', { month: name })} aria-busy={waiting}>
      {waiting && <Skeleton key="waiting" className="h-91.25 sm:h-68.75 xl:h-29" />}
      {!waiting && energy && (
        <div key="sums" className="grid gap-6 xl:grid-cols-2">
          <EnergySums calendar={calendar} />
          {calendar.withMoney && <MoneySums calendar={calendar} />}
        </div>
      )}
    </Card>
  )
}

function EnergySums({ calendar }: { calendar: CalendarMonth }) {
  const { t } = useT()
  const text = useDayText(calendar)
  const energies = calendar.energy ? totalsOf(calendar.energy) : null
  const balance = energies && balanceOf(energies)
  if (!energies) return null
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-5 sm:grid-cols-3">
      <Sum name={t('today.produced')}>{text.energy(energies.pv)}</Sum>
      <Sum name={t('today.consumed')}>{text.energy(balance?.consumed ?? null)}</Sum>
      <Sum name={t('today.self_sufficiency')}>{text.percent(selfSufficiencyOf(energies, balance))}</Sum>
      <Sum name={t('calendar.import')}>{text.energy(energies.import)}</Sum>
      <Sum name={t('calendar.feed_in')}>{text.energy(energies.feedIn)}</Sum>
      <Sum name={t('today.self_consumption')}>{text.percent(selfConsumptionOf(balance))}</Sum>
    </dl>
  )
}

function Sum({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm wrap-anywhere text-muted">{name}</dt>
      <dd className="num mt-1 text-3xl leading-tight font-semibold wrap-anywhere">{children}</dd>
    </div>
  )
}

function MoneySums({ calendar }: { calendar: CalendarMonth }) {
  const { t } = useT()
  const { tariffs, currency, days } = calendar
  const sum = sumOf(days)
  if (!tariffs) return null
  const lacking = lacksPrices(tariffs)
  return (
    <div className="border-line max-xl:border-t max-xl:pt-5 xl:border-l xl:pl-6">
      {lacking ? (
        <div className="grid justify-items-start gap-4">
          <p className="text-lg text-pretty text-muted">{t('money.no_prices')}</p>
          <Link
            to="/settings"
            search={{ part: 'prices' }}
            className={buttonStyle({ variant: 'outline', size: 's' })}
          >
            {t('money.enter')}
          </Link>
        </div>
      ) : (
        <MoneyFigure
          title={t('money.title')}
          money={sum}
          currency={currency}
          period="period"
          note={sum.unpriced > 0 ? t('money.unpriced', { days: sum.unpriced }) : null}
        />
      )}
    </div>
  )
}
