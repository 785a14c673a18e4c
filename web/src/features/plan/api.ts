/** The plan page's own requests: on or off, charge target, savings and past blocks. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { CHART_REFRESH, LIVE_REFRESH } from '@/lib/constants'
import type { Locale } from '@/lib/i18n/locales'
import { queryClient } from '@/lib/query-client'
import type { SiteDay } from '@/lib/site-day'

type Schemas = components['schemas']
type Journal = Schemas['JournalBody']

/** Turns planning on or off, or sets the charge target. Both are settings with entries in the journal. */
export async function changePlan(body: Schemas['ChangePlan']) {
  const plan = await unwrap(api.POST('/api/auth/plan/', { body }))
  await Promise.all(
    ['plan', 'settings', 'journal'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  )
  return plan
}

/** The savings of every day from `first` to `last`. */
export const savingsQuery = (sn: string, first: SiteDay, last: SiteDay) => {
  const days = `${first}_${last}`
  return queryOptions({
    queryKey: ['savings', sn, days],
    queryFn: () => unwrap(api.GET('/api/auth/savings/', { params: { query: { sn, days } } })),
    refetchInterval: CHART_REFRESH,
  })
}

/** Blocks that the page shows. */
const SHOWN_BLOCKS = 5
/** Journal pages of ten lines that are searched for blocks at most. */
const MAX_PAGES = 3

/** The last blocks that were carried out, read from the journal. */
export const pastBlocksQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: ['journal', 'plan', sn, locale],
    queryFn: async () => {
      const found: Journal['lines'] = []
      for (
        let page = 1, pages = 1;
        page <= Math.min(pages, MAX_PAGES) && found.length < SHOWN_BLOCKS;
        page++
      ) {
        const query = { sn, kind: 'battery', actor: 'portal', page: String(page) }
        const answer = (await unwrap(api.GET('/api/auth/journal/', { params: { query } }))) as Journal
        found.push(...answer.lines.filter(({ event }) => event === 'plan_done'))
        pages = answer.pages
      }
      return found.slice(0, SHOWN_BLOCKS)
    },
    staleTime: 0,
    refetchInterval: LIVE_REFRESH,
  })
