/** The charge plan. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { LIVE_REFRESH } from '../constants'
import type { Locale } from '../i18n/locales'
import { invalidate } from '../query-client'
import { allJournals } from './journal'
import { allSettings } from './settings'

type Schemas = components['schemas']
export type Plan = Schemas['PlanBody']
export type Block = Schemas['BlockEntry']
export type Step = Schemas['PlanStepEntry']

const allPlans = { queryKey: ['plan'] } as const

/** The server translates the reasons, so the key contains the language. */
export const planQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: [...allPlans.queryKey, sn, locale],
    queryFn: () => unwrap(api.GET('/api/auth/plan/', { params: { query: { sn } } })),
    refetchInterval: LIVE_REFRESH,
  })

/** Turns planning on or off, or sets the charge target. Both are settings with entries in the journal. */
export async function changePlan(body: Schemas['ChangePlan']) {
  const plan = await unwrap(api.POST('/api/auth/plan/', { body }))
  await invalidate(allPlans, allSettings, allJournals)
  return plan
}
