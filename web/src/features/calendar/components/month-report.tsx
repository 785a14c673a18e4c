import { useMoneyText } from '@/components/money/use-money-text'
import { Logo, PRODUCT_NAME } from '@/components/ui/logo'
import type { SystemTariffs } from '@/lib/data/money'
import { balanceOf, type Energies, selfSufficiencyOf, totalsOf } from '@/lib/energy'
import {
  formatNumber,
  formatPeriod,
  formatTick,
  joinQuantity,
  percentQuantity,
  priceQuantity,
} from '@/lib/format'
import type { MessageId } from '@/lib/i18n/locales'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { type Money, sumOf, tariffsIn } from '@/lib/money'
import { useSelection } from '@/lib/selection'
import { utcOf } from '@/lib/site-day'
import { firstDay, lastDay } from '../model/month'
import type { CalendarMonth } from '../use-month'

const ENERGY: readonly MessageId[] = ['print.produced', 'print.consumed', 'print.import', 'print.feed_in']
const MONEY: readonly MessageId[] = ['print.cost', 'print.income', 'print.actual', 'print.without_battery']

/** The month's report with every day and the sums; visible only in print. */
export function MonthReport({ calendar, name }: { calendar: CalendarMonth; name: string }) {
  const { t, locale } = useT()
  const { days, energy, withMoney } = calendar
  const sum = sumOf(days)
  return (
    <section className="hidden print:block">
      <ReportHead calendar={calendar} name={name} />
      <table className="num w-full text-right text-3xs leading-tight">
        <thead>
          <tr className="border-b border-line-strong align-bottom">
            <th scope="col" className="py-1 pr-2 text-left font-semibold">
              {t('print.day')}
            </th>
            {[...ENERGY, 'today.self_sufficiency' as const, ...(withMoney ? MONEY : [])].map((id) => (
              <th key={id} scope="col" className="py-1 pl-2 font-semibold hyphens-auto">
                {t(id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ ahead }) => !ahead)
            .map((day) => (
              <tr key={day.day} className="border-b border-line">
                <th scope="row" className="py-0.75 pr-2 text-left font-normal whitespace-nowrap">
                  {formatTick(utcOf(day.day), 'weekday', { locale, timeZone: 'UTC' })}
                </th>
                <Cells energies={day.energies} money={day.money} calendar={calendar} />
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr className="border-t-2 border-line-strong font-semibold">
            <th scope="row" className="py-1.5 pr-2 text-left">
              {t('print.sum')}
            </th>
            {energy && <Cells energies={totalsOf(energy)} money={sum} calendar={calendar} />}
          </tr>
        </tfoot>
      </table>
      {withMoney && <ReportMoney calendar={calendar} />}
    </section>
  )
}

function ReportHead({ calendar, name }: { calendar: CalendarMonth; name: string }) {
  const { t, locale } = useT()
  const { serials } = useSelection()
  const { sn, today } = calendar
  return (
    <header className="mb-4 flex items-start justify-between gap-6">
      <div>
        <h1 className="text-3xl leading-tight font-semibold">{t('print.title', { month: name })}</h1>
        <p className="mt-1 text-xs text-muted">
          {sn === ALL_SYSTEMS
            ? t('print.systems', { systems: serials.join(', ') })
            : t('print.system', { sn: sn ?? '' })}
          {' · '}
          {t('print.as_of', { date: formatPeriod(today, 'Day', locale) })}
        </p>
      </div>
      <p className="flex items-center gap-2 text-sm font-semibold">
        <Logo /> {PRODUCT_NAME}
      </p>
    </header>
  )
}

type CellsProps = { energies: Energies; money: Money; calendar: CalendarMonth }

function Cells({ energies, money, calendar: { currency, withMoney } }: CellsProps) {
  const { locale } = useT()
  const { amount, named } = useMoneyText(currency)
  const balance = balanceOf(energies)
  const share = selfSufficiencyOf(energies, balance)
  const kwh = (wattHours: number | null) =>
    wattHours === null ? '–' : formatNumber(wattHours / 1_000, locale, 1)
  const known = (cents: number | null, say: (cents: number) => string) => (cents === null ? '–' : say(cents))
  const cells = [
    kwh(energies.pv),
    kwh(balance?.consumed ?? null),
    kwh(energies.import),
    kwh(energies.feedIn),
    share === null ? '–' : joinQuantity(percentQuantity(share, locale)),
    ...(withMoney
      ? [
          known(money.cost, amount),
          known(money.income, amount),
          known(money.actual, named),
          known(money.withoutBattery, named),
        ]
      : []),
  ]
  return cells.map((cell, column) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a column is what it is by its place
    <td key={column} className="py-0.75 pl-2 whitespace-nowrap">
      {cell}
    </td>
  ))
}

/** The battery's result, and the prices that it is based on. */
function ReportMoney({ calendar }: { calendar: CalendarMonth }) {
  const { t } = useT()
  const { tariffs = [], days, currency } = calendar
  const { saved } = useMoneyText(currency)
  const sum = sumOf(days)
  return (
    <div className="mt-4 grid gap-1 text-xs">
      {sum.actual !== null && <p className="font-medium">{saved(sum, 'period')}</p>}
      {sum.unpriced > 0 && <p>{t('money.unpriced', { days: sum.unpriced })}</p>}
      {tariffs.map((system) => (
        <Prices key={system.sn} system={system} calendar={calendar} named={tariffs.length > 1} />
      ))}
    </div>
  )
}

type PricesProps = { system: SystemTariffs; calendar: CalendarMonth; named: boolean }

/** A system's prices in this month; several if they changed. */
function Prices({ system, calendar: { month, currency }, named }: PricesProps) {
  const { t, locale } = useT()
  const price = (value: number) => joinQuantity(priceQuantity(value, currency, locale))
  const lines = tariffsIn(system.tariffs, firstDay(month), lastDay(month)).map((tariff) => {
    const prices = t('money.tariff.prices', {
      import: price(tariff.import_price),
      feed_in: price(tariff.feed_in_price),
    })
    if (!tariff.from || tariff.from <= firstDay(month)) return prices
    return `${t('money.tariff.from', { date: formatPeriod(tariff.from, 'Day', locale) })}: ${prices}`
  })
  if (lines.length === 0) return null
  return (
    <p className="text-muted">
      {t('money.tariff.title')}
      {named && ` ${system.sn}`}: {lines.join('; ')}
    </p>
  )
}
