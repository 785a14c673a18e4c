import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client'
import { apiError, networkError } from '../api/errors'
import { LIVE_TIMEOUT } from '../constants'
import type { Locale } from '../i18n/locales'
import { entriesOf, flagsOf, isLive, type Live, newerOf, skewOf } from './live'

export const allLive = { queryKey: ['live'] } as const

/** The server translates messages, so the key contains the language. */
export const liveQuery = (locale: Locale) =>
  queryOptions({
    queryKey: [...allLive.queryKey, locale],
    queryFn: readLive,
    placeholderData: keepPreviousData,
    // Also called with selected values, such as the skew.
    structuralSharing: (known, answer) => (isLive(known) && isLive(answer) ? newerOf(known, answer) : answer),
  })

async function readLive(): Promise<Live> {
  // Without a timeout the next refresh would replace a hanging request, and no failure would be noticed.
  const signal = AbortSignal.timeout(LIVE_TIMEOUT)
  const params = { query: { flags: 'set' } } as const
  const { data, error, response } = await api.GET('/api/auth/data/', { params, signal }).catch(() => {
    throw networkError()
  })
  if (!data) throw apiError(response, error)
  const date = response.headers.get('Date')
  return {
    entries: entriesOf(data),
    flags: flagsOf(data),
    ...(date && { at: Date.parse(date) }),
    skew: skewOf(date, Date.now()),
  }
}
