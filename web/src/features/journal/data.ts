import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { LIVE_REFRESH } from '@/lib/constants'
import { allJournals } from '@/lib/data/journal'
import type { Locale } from '@/lib/i18n/locales'
import type { JournalFilter } from './model'

export const journalQuery = (filter: JournalFilter, locale: Locale) =>
  queryOptions({
    queryKey: [...allJournals.queryKey, filter, locale],
    queryFn: async () => {
      const query = { ...filter, page: String(filter.page ?? 1) }
      const answer = await unwrap(api.GET('/api/auth/journal/', { params: { query } }))
      // Cast because the same path can also return CSV as text.
      return answer as components['schemas']['JournalBody']
    },
    placeholderData: keepPreviousData,
    // Never stale: people look here for their latest change.
    staleTime: 0,
    refetchInterval: LIVE_REFRESH,
  })
