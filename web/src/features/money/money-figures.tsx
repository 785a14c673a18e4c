import { MoneyFigure } from '@/components/money/money-figure'
import { SavedLine } from '@/components/money/saved-line'
import type { Saving } from '@/lib/data/money'
import {
  balanceOf,
  type EnergyChart,
  energiesOf,
  selfConsumptionOf,
  selfSufficiencyOf,
  totalsOf,
} from '@/lib/energy'
import { type Currency, formatPeriod, joinQuantity, percentQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { moneyOf, sumOf } from '@/lib/money'
import type { SiteDay } from '@/lib/site-day'

type Props = {
  currency: Currency
  /** The days of this month. */
  savings: readonly Saving[]
  energy: EnergyChart | null
  today: SiteDay
}

/** What the battery saved this month; below it today beside the month. */
export function MoneyFigures({ currency, savings, energy, today }: Props) {
  const { t, locale } = useT()
  const rows = new Map(energy?.rows.map((row) => [row.de_time, energiesOf(row)]))
  const month = sumOf(
    savings.map((saving) => ({
      money: moneyOf(saving),
      energies: rows.get(saving.day) ?? energiesOf({}),
    })),
  )
  const now = moneyOf(savings.find(({ day }) => day === today))
  return (
    <div className="grid gap-4">
      <div className="grid gap-1">
        <SavedLine
          money={month}
          currency={currency}
          period="month"
          className="text-amount leading-snug font-semibold"
        />
        <SavedLine money={now} currency={currency} period="today" className="text-md text-muted" />
      </div>
      {/* In `em`: the columns wrap when the text is enlarged. */}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,9em),1fr))] gap-y-4">
        <MoneyFigure title={t('today.title')} money={now} currency={currency} className="pr-3 sm:pr-6" />
        <MoneyFigure
          title={formatPeriod(today, 'Month', locale)}
          money={month}
          currency={currency}
          note={
            month.unpriced > 0 ? t('money.unpriced', { days: month.unpriced }) : <Shares energy={energy} />
          }
          className="border-l border-line pl-3 sm:pl-6"
        />
      </div>
    </div>
  )
}

/** Self-sufficiency and self-consumption of the month. Today's are in the card of today. */
function Shares({ energy }: { energy: EnergyChart | null }) {
  const { t, locale } = useT()
  const energies = energy && totalsOf(energy)
  const balance = energies && balanceOf(energies)
  const shares = [
    { name: t('today.self_sufficiency'), percent: energies && selfSufficiencyOf(energies, balance) },
    { name: t('today.self_consumption'), percent: selfConsumptionOf(balance) },
  ]
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1">
      {shares.map(({ name, percent }) => (
        <div key={name} className="flex gap-1.5">
          <dt>{name}</dt>
          <dd className="num font-medium text-text">
            {percent === null ? '–' : joinQuantity(percentQuantity(percent, locale))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
