/** What the battery is going to do, and why. */
import { queryOptions } from '@tanstack/react-query'
import { LIVE_REFRESH } from '../constants'
import type { Locale } from '../i18n/locales'
import { api, unwrap } from './client'
import type { components } from './schema'

export type Plan = components['schemas']['PlanBody']
export type Block = components['schemas']['BlockEntry']
export type Step = components['schemas']['PlanStepEntry']

/** Its reasons are sentences of the server, in the language of the page. */
export const planQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['plan', sn, locale],
    queryFn: () => unwrap(api.GET('/api/auth/plan/', { params: { query: { sn } } })),
    refetchInterval: LIVE_REFRESH,
  })
