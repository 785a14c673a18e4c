/** Queries for tariffs and savings. */
import { queryOptions } from '@tanstack/react-query'
import { CHART_REFRESH } from '../constants'
import { queryClient } from '../query-client'
import { type SiteDay, startOf } from '../site-day'
import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Saving = Schemas['SavingsRow']
export type SystemTariffs = Schemas['SystemTariffs']
export type Tariff = Schemas['TariffEntry']
export type NewTariff = Schemas['SetTariff']

/** @param sn one system, or -1 for each of them */
export const tariffQuery = (sn: string) =>
  queryOptions({
    queryKey: ['tariff', sn],
    queryFn: () => unwrap(api.GET('/api/auth/tariff/', { params: { query: { sn } } })),
  })

/** Every day of this day's month. */
export const monthSavingsQuery = (sn: string, day: SiteDay) => {
  const days = `month_${startOf(day, 'Month')}`
  return queryOptions({
    queryKey: ['savings', sn, days],
    queryFn: () => unwrap(api.GET('/api/auth/savings/', { params: { query: { sn, days } } })),
    refetchInterval: CHART_REFRESH,
  })
}

/** A new price changes the money of all days since its start; today's price is also a setting. */
export async function saveTariff(body: NewTariff) {
  await unwrap(api.POST('/api/auth/tariff/', { body }))
  await Promise.all(
    ['tariff', 'savings', 'settings'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  )
}
