/** The charge plan. */
import { queryOptions } from '@tanstack/react-query'
import { LIVE_REFRESH } from '../constants'
import type { Locale } from '../i18n/locales'
import { api, unwrap } from './client'
import type { components } from './schema'

export type Plan = components['schemas']['PlanBody']
export type Block = components['schemas']['BlockEntry']
export type Step = components['schemas']['PlanStepEntry']

/** The server translates the reasons, so the key contains the language. */
export const planQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['plan', sn, locale],
    queryFn: () => unwrap(api.GET('/api/auth/plan/', { params: { query: { sn } } })),
    refetchInterval: LIVE_REFRESH,
  })
