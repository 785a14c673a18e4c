import { useQueries } from '@tanstack/react-query'
import { planQuery } from '@/lib/data/plan'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'

/**
 * Little sun is expected at a shown system, so its battery may run empty; undefined while that is unknown.
 */
export function useBadWeather(): boolean | undefined {
  const { locale } = useT()
  const { sn, serials } = useSelection()
  const shown = serials.filter((one) => sn === ALL_SYSTEMS || one === sn)
  const plans = useQueries({ queries: shown.map((one) => planQuery(one, locale)) })
  if (plans.some(({ data }) => data && data.weather.since !== null)) return true
  // A failed request counts as known.
  return plans.some(({ isPending, failureCount }) => isPending && failureCount === 0) ? undefined : false
}
