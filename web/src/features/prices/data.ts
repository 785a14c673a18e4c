/** Requests for quarter-hourly prices and for time-of-use prices. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import { ANSWER_POLL, CHART_REFRESH } from '@/lib/constants'
import { allPrices } from '@/lib/data/money'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { invalidate } from '@/lib/query-client'
import { isPending } from './model'

/** The prices of all systems. Polled: after entering a token people wait for the result. */
export const pricesQuery = queryOptions({
  ...allPrices,
  queryFn: () => unwrap(api.GET('/api/auth/price/', { params: { query: { sn: ALL_SYSTEMS } } })),
  refetchInterval: ({ state }) => (state.data?.some(isPending) ? ANSWER_POLL : CHART_REFRESH),
})

export async function saveTimeOfUse(serials: readonly string[], steps: string) {
  await unwrap(api.POST('/api/auth/price/', { body: { sn: serials.join(','), steps } }))
  await invalidate(allPrices)
}
