/** Prices by the quarter-hour, and those by the time of day that are typed in. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import { ANSWER_POLL, CHART_REFRESH } from '@/lib/constants'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { queryClient } from '@/lib/query-client'
import { isBeingAsked } from './model'

/** Of all systems. Whoever has just entered a token wants to know what becomes of it. */
export const pricesQuery = queryOptions({
  queryKey: ['price'],
  queryFn: () => unwrap(api.GET('/api/auth/price/', { params: { query: { sn: ALL_SYSTEMS } } })),
  refetchInterval: ({ state }) => (state.data?.some(isBeingAsked) ? ANSWER_POLL : CHART_REFRESH),
})

export async function saveTimeOfUse(serials: readonly string[], steps: string) {
  await unwrap(api.POST('/api/auth/price/', { body: { sn: serials.join(','), steps } }))
  await queryClient.invalidateQueries({ queryKey: ['price'] })
}
