import { useState } from 'react'
import { Disclosure } from '@/components/ui/disclosure'
import type { Plan } from '@/lib/data/plan'
import { formatNumber, joinQuantity, percentQuantity, priceUnit } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { hoursOf } from '../model'
import { usePlanTime } from '../use-plan-time'

const cell = 'px-3 py-1.5 whitespace-nowrap'

/** The plan by the hour as a table, for keyboards and screen readers. */
export function PlanTable({ plan }: { plan: Plan }) {
  const { t, locale } = useT()
  const [open, setOpen] = useState(false)
  const { moment } = usePlanTime(plan.sn)
  const percent = (value: number | null) =>
    value === null ? '–' : joinQuantity(percentQuantity(value, locale))
  const columns = [
    t('plan.table.price', { unit: priceUnit(plan.currency) }),
    t('plan.table.soc'),
    t('plan.table.band'),
    t('plan.table.mode'),
  ]
  return (
    <Disclosure title={t('plan.table')} open={open} onToggle={() => setOpen(!open)}>
      <section
        aria-label={t('plan.picture.title')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
        tabIndex={0}
        className="max-h-105 overflow-auto rounded-xl border border-line"
      >
        <table className="num w-full text-right text-sm">
          <caption className="sr-only">{t('plan.picture.title')}</caption>
          <thead>
            <tr className="text-muted">
              <th scope="col" className={`sticky top-0 bg-surface-2 text-left font-medium ${cell}`}>
                {t('plan.table.time')}
              </th>
              {columns.map((column) => (
                <th key={column} scope="col" className={`sticky top-0 bg-surface-2 font-medium ${cell}`}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hoursOf(plan).map(({ start, price, known, soc, low, high, mode }) => (
              <tr key={start} className="border-t border-line">
                <th scope="row" className={`text-left font-normal ${cell}`}>
                  {moment(start)}
                </th>
                <td className={cell}>
                  {known
                    ? formatNumber(price, locale, 1)
                    : t('plan.table.guessed', { price: formatNumber(price, locale, 1) })}
                </td>
                <td className={cell}>{percent(soc)}</td>
                <td className={cell}>
                  {low === null || high === null
                    ? '–'
                    : t('plan.table.range', { low: percent(low), high: percent(high) })}
                </td>
                <td className={cell}>{t(`plan.mode.${mode}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Disclosure>
  )
}
