/** Queries for charts and energies, shared by the parts of a page. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { CHART_REFRESH } from '../constants'
import { type Interval, type SiteDay, startOf } from '../site-day'

export type Graph = components['schemas']['GraphAnswer']
export type Resolution = 'minute' | 'quarter' | 'hour' | 'day' | 'month'
export type Method = 'mean' | 'min' | 'max' | 'sum'

export type GraphRequest = {
  sn: string
  interval: Interval
  date: SiteDay
  resolution: Resolution
  method: Method
  /** Codes such as `m0`. */
  series: readonly string[]
}

export const graphParams = ({ date, series, ...rest }: GraphRequest) => ({
  ...rest,
  from_date: date,
  series: series.join(),
})

/**
 * Keeps the last answer while the next one loads, but never that of another system. @param growing the period
 * is not over yet
 */
export const graphQuery = (request: GraphRequest, growing: boolean) =>
  queryOptions({
    queryKey: ['graph', request],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/api/auth/graph/', { params: { query: graphParams(request) } }))
      // Cast because the same path can also return CSV as text.
      return answer as Graph
    },
    refetchInterval: growing ? CHART_REFRESH : false,
    placeholderData: (last: Graph | undefined) => (last?.sn === request.sn ? last : undefined),
  })

/** @param days `week_`, `month_`, `year_` or `total_` and a day, or two days with `_` between */
export const energyQuery = (sn: string, days: string) =>
  queryOptions({
    queryKey: ['energy', sn, days],
    queryFn: async () => {
      const [chart] = await unwrap(api.GET('/api/auth/energy_chart/', { params: { query: { sn, days } } }))
      return chart ?? null
    },
    refetchInterval: CHART_REFRESH,
  })

/** Every day of this day's month. */
export const monthEnergyQuery = (sn: string, day: SiteDay) =>
  energyQuery(sn, `month_${startOf(day, 'Month')}`)
