/** The forecasts of sun and load. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { CHART_REFRESH } from '../constants'

export type Forecast = components['schemas']['ForecastBody']

/** @param sn one system, or -1 for the sum of all */
export const forecastQuery = (sn: string) =>
  queryOptions({
    queryKey: ['forecast', sn],
    queryFn: () => unwrap(api.GET('/api/auth/forecast/', { params: { query: { sn } } })),
    refetchInterval: CHART_REFRESH,
  })
