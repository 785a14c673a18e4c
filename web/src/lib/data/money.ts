/** Tariffs, prices and savings. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { CHART_REFRESH } from '../constants'
import { invalidate } from '../query-client'
import { type SiteDay, startOf } from '../site-day'
import { allSettings } from './settings'

type Schemas = components['schemas']
export type Saving = Schemas['SavingsRow']
export type SystemTariffs = Schemas['SystemTariffs']
export type Tariff = Schemas['TariffEntry']
export type NewTariff = Schemas['SetTariff']

export const allTariffs = { queryKey: ['tariff'] } as const
export const allSavings = { queryKey: ['savings'] } as const
export const allPrices = { queryKey: ['price'] } as const

/** @param sn one system, or -1 for each of them */
export const tariffQuery = (sn: string) =>
  queryOptions({
    queryKey: [...allTariffs.queryKey, sn],
    queryFn: () => unwrap(api.GET('/api/auth/tariff/', { params: { query: { sn } } })),
  })

/** @param days as for energies */
export const savingsQuery = (sn: string, days: string) =>
  queryOptions({
    queryKey: [...allSavings.queryKey, sn, days],
    queryFn: () => unwrap(api.GET('/api/auth/savings/', { params: { query: { sn, days } } })),
    refetchInterval: CHART_REFRESH,
  })

/** Every day of this day's month. */
export const monthSavingsQuery = (sn: string, day: SiteDay) =>
  savingsQuery(sn, `month_${startOf(day, 'Month')}`)

/** A new price changes the money of all days since its start; today's price is also a setting. */
export async function saveTariff(body: NewTariff) {
  await unwrap(api.POST('/api/auth/tariff/', { body }))
  await invalidate(allTariffs, allSavings, allSettings)
}
