/** What the page of the plan asks and tells the server beside the plan itself. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { CHART_REFRESH, LIVE_REFRESH } from '@/lib/constants'
import type { Locale } from '@/lib/i18n/locales'
import { queryClient } from '@/lib/query-client'
import type { SiteDay } from '@/lib/site-day'

type Schemas = components['schemas']
type Journal = Schemas['JournalBody']

/** Whether to plan is a setting like any other, and stands in the journal. */
export async function changePlan(body: Schemas['ChangePlan']) {
  const plan = await unwrap(api.POST('/api/auth/plan/', { body }))
  await Promise.all(
    ['plan', 'settings', 'journal'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  )
  return plan
}

/** Every day from the first to the last. */
export const savingsQuery = (sn: string, first: SiteDay, last: SiteDay) => {
  const days = `${first}_${last}`
  return queryOptions({
    queryKey: ['savings', sn, days],
    queryFn: () => unwrap(api.GET('/api/auth/savings/', { params: { query: { sn, days } } })),
    refetchInterval: CHART_REFRESH,
  })
}

/** So many are enough to see whether plans come true. */
const SHOWN = 5
/** Ten lines each; further back nobody looks. */
const PAGES = 3

/** The last blocks that were carried out, as the journal tells them. */
export const pastBlocksQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['journal', 'plan', sn, locale],
    queryFn: async () => {
      const found: Journal['lines'] = []
      for (let page = 1, pages = 1; page <= Math.min(pages, PAGES) && found.length < SHOWN; page++) {
        const query = { sn, kind: 'battery', actor: 'portal', page: String(page) }
        const answer = (await unwrap(api.GET('/api/auth/journal/', { params: { query } }))) as Journal
        found.push(...answer.lines.filter(({ event }) => event === 'plan_done'))
        pages = answer.pages
      }
      return found.slice(0, SHOWN)
    },
    staleTime: 0,
    refetchInterval: LIVE_REFRESH,
  })
