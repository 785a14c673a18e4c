import type { Plan } from '@/lib/data/plan'
import { joinQuantity, percentQuantity, priceQuantity } from '@/lib/format'
import { useT } from '@/lib/i18n/use-t'
import { lineSummaryOf } from '../line-summary'
import { usePlanTime } from '../use-plan-time'

const QUARTER = 900_000

/** A summary of the picture for screen readers. */
export function PictureSummary({ plan }: { plan: Plan }) {
  const { t, locale } = useT()
  const { moment } = usePlanTime(plan.sn)
  const prices = lineSummaryOf(plan.steps.map(({ start, price }) => ({ value: price, at: start })))
  // `soc` is the state of charge at the end of a step.
  const charges = lineSummaryOf(plan.steps.map(({ start, soc }) => ({ value: soc, at: start + QUARTER })))
  const price = (value: number) => joinQuantity(priceQuantity(value, plan.currency, locale))
  const charge = (value: number) => joinQuantity(percentQuantity(value, locale))
  return (
    <div className="sr-only">
      {prices && (
        <p>
          {t('plan.picture.words.price', {
            low: price(prices.low.value),
            lowAt: moment(prices.low.at),
            high: price(prices.high.value),
            highAt: moment(prices.high.at),
          })}
        </p>
      )}
      {charges && (
        <p>
          {t('plan.picture.words.soc', {
            first: charge(charges.first),
            high: charge(charges.high.value),
            highAt: moment(charges.high.at),
            last: charge(charges.last),
          })}
        </p>
      )}
    </div>
  )
}
