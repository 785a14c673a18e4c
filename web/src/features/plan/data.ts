/** Savings and past blocks. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { LIVE_REFRESH } from '@/lib/constants'
import { allJournals } from '@/lib/data/journal'
import { savingsQuery } from '@/lib/data/money'
import type { Locale } from '@/lib/i18n/locales'
import type { SiteDay } from '@/lib/site-day'

type Journal = components['schemas']['JournalBody']

/** The savings of every day from `first` to `last`. */
export const savingsBetweenQuery = (sn: string, first: SiteDay, last: SiteDay) =>
  savingsQuery(sn, `${first}_${last}`)

/** Blocks that the page shows. */
const SHOWN_BLOCKS = 5
/** Journal pages of ten lines that are searched for blocks at most. */
const MAX_PAGES = 3

/** The last blocks that were carried out, read from the journal. */
export const pastBlocksQuery = (sn: string, locale: Locale) =>
  queryOptions({
    queryKey: [...allJournals.queryKey, 'plan', sn, locale],
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
