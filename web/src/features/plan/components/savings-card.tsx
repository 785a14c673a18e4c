import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMoneyText } from '@/components/money/use-money-text'
import { Answer } from '@/components/ui/answer'
import { Card } from '@/components/ui/card'
import { pageCount, pageOf } from '@/components/ui/pages'
import { Pagination } from '@/components/ui/pagination'
import { Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { type Currency, formatMoney, formatTick } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { plusDays, utcOf } from '@/lib/site-day'
import { useSite } from '@/lib/use-site'
import { savingsBetweenQuery } from '../data'
import { type SavedDay, savedDays, sumOf } from '../model'
import { SavedText } from './saved-text'

const DAYS = 30
const ROWS = 10

/** The cost of each of the last days: measured, without the plan and without the battery. */
export function SavingsCard({ sn, currency }: { sn: string; currency: Currency }) {
  const { t } = useT()
  const { today } = useSite()
  const savings = useQuery(savingsBetweenQuery(sn, plusDays(today, -DAYS), plusDays(today, -1)))
  return (
    <Card title={t('plan.savings')} description={t('plan.savings.text')}>
      <Answer query={savings} waiting={<Skeleton className="h-60" />}>
        {(data) => <Savings days={savedDays(data)} currency={currency} />}
      </Answer>
    </Card>
  )
}

function Savings({ days, currency }: { days: readonly SavedDay[]; currency: Currency }) {
  const { t } = useT()
  const [page, setPage] = useState(1)
  const { counted, uncounted, lost, saved } = sumOf(days)
  const { current, items } = pageOf(days, page, ROWS)
  if (days.length === 0) return <SavedText cents={null} currency={currency} />
  return (
    <>
      <div className="grid gap-0.5">
        <SavedText cents={counted === 0 ? null : saved} currency={currency} />
        <p className="text-sm text-muted">
          {counted > 0 && t('plan.savings.counted', { counted })}{' '}
          {lost > 0 && t('plan.savings.lost', { lost })}{' '}
          {uncounted > 0 && t('plan.savings.uncounted', { uncounted })}
        </p>
      </div>
      <Days days={items} currency={currency} />
      <Pagination
        label={t('plan.savings')}
        page={current}
        count={pageCount(days.length, ROWS)}
        onChange={setPage}
      />
    </>
  )
}

const cell = 'px-2 py-2 align-top'

function Days({ days, currency }: { days: readonly SavedDay[]; currency: Currency }) {
  const { t, locale } = useT()
  const { named } = useMoneyText(currency)
  const known = (cents: number | null) => (cents === null ? '–' : named(cents))
  return (
    <table className="num mt-3 w-full text-right text-sm">
      <caption className="sr-only">{t('plan.savings')}</caption>
      <thead>
        <tr className="text-muted">
          {(['day', 'actual', 'without_plan', 'without_battery', 'outcome'] as const).map((column) => (
            <th
              key={column}
              scope="col"
              className={cn(
                cell,
                'font-medium',
                column === 'day' && 'text-left',
                // A phone shows only day and outcome; the other columns are hidden.
                column !== 'day' && column !== 'outcome' && 'max-sm:hidden',
              )}
            >
              {t(`plan.savings.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <tr key={day.day} className="border-t border-line">
            <th scope="row" className={cn(cell, 'text-left font-normal')}>
              <span className="whitespace-nowrap">
                {formatTick(utcOf(day.day), 'weekday', { locale, timeZone: 'UTC' })}
              </span>
              <dl className="mt-0.5 text-xs text-muted sm:hidden">
                {(['actual', 'without_plan', 'without_battery'] as const).map((name) => (
                  <div key={name} className="flex flex-wrap gap-x-1.5">
                    <dt>{t(`plan.savings.${name}`)}:</dt>
                    <dd>{known(day[name])}</dd>
                  </div>
                ))}
              </dl>
            </th>
            <td className={cn(cell, 'max-sm:hidden')}>{known(day.actual)}</td>
            <td className={cn(cell, 'max-sm:hidden')}>{known(day.without_plan)}</td>
            <td className={cn(cell, 'max-sm:hidden')}>{known(day.without_battery)}</td>
            <td className={cell}>
              <OutcomeText day={day} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function OutcomeText({ day: { result }, currency }: { day: SavedDay; currency: Currency }) {
  const { t, locale } = useT()
  const money = 'cents' in result ? formatMoney(result.cents, currency, locale) : ''
  return (
    <span
      className={cn(
        result.word === 'saved' && 'font-medium text-ok',
        result.word === 'lost' && 'font-medium text-danger',
        !('cents' in result) && 'text-muted',
      )}
    >
      {t(`plan.outcome.${result.word}`, { money })}
    </span>
  )
}
