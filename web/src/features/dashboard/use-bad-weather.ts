import { useQueries } from '@tanstack/react-query'
import { planQuery } from '@/lib/api/plan-queries'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { useSelection } from '@/lib/selection'

/** Little sun is expected at one of the systems that are shown, whose storage may run empty; undefined until that is known. */
export function useBadWeather(): boolean | undefined {
  const { locale } = useT()
  const { sn, serials } = useSelection()
  const shown = serials.filter((one) => sn === ALL_SYSTEMS || one === sn)
  const plans = useQueries({ queries: shown.map((one) => planQuery(one, locale)) })
  if (plans.some(({ data }) => data && data.weather.since !== null)) return true
  // What could not be had is not waited for.
  return plans.some(({ isPending, failureCount }) => isPending && failureCount === 0) ? undefined : false
}
