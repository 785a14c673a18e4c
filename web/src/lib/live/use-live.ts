import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../api/client'
import { apiError, networkError } from '../api/errors'
import { LIVE_REFRESH } from '../constants'
import type { Locale } from '../i18n/locales'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { follow } from './follow'
import { entriesOf, type Live, type LiveDocument, newerOf, skewOf, withChanges } from './live'

/** Messages in it are in a language, so each language has an answer of its own. */
export const liveQuery = (locale: Locale) =>
  queryOptions({
    queryKey: ['live', locale],
    queryFn: readLive,
    // Offline it fails and says so, instead of waiting silently.
    networkMode: 'always',
    placeholderData: keepPreviousData,
    structuralSharing: (known, answer) => newerOf(known as Live | undefined, answer as Live),
  })

async function readLive(): Promise<Live> {
  const { data, error, response } = await api.GET('/api/auth/data/').catch(() => {
    throw networkError()
  })
  if (!data) throw apiError(response, error)
  return { entries: entriesOf(data), skew: skewOf(response.headers.get('Date'), Date.now()) }
}

/** Live data. An error leaves the last values, which then grow old visibly. */
export function useLive() {
  const { locale } = useT()
  return useQuery({ ...liveQuery(locale), enabled: isAuthenticated() })
}

/**
 * Reads live data every 30 s, whatever else happens. Not by the query's own interval, which begins anew with every
 * event of the stream and would never be over. A session that has ended is renewed, or logged out, by the API client.
 */
export function useLiveRefresh() {
  const { locale } = useT()
  const queryClient = useQueryClient()
  useEffect(() => {
    const refresh = () => void queryClient.refetchQueries({ queryKey: liveQuery(locale).queryKey })
    const timer = setInterval(refresh, LIVE_REFRESH)
    return () => clearInterval(timer)
  }, [locale, queryClient])
}

/** Brings live data within a second, beside the 30 s refresh, while the page is on screen. */
export function useLiveStream() {
  const { locale } = useT()
  const queryClient = useQueryClient()
  useEffect(() => {
    let stop = new AbortController()
    const start = () => {
      stop.abort()
      if (document.visibilityState === 'hidden') return
      stop = new AbortController()
      void follow({
        signal: stop.signal,
        onEvent: ({ name, data }) => {
          if (name !== 'data') return
          const changes = entriesOf(JSON.parse(data) as LiveDocument)
          queryClient.setQueryData(liveQuery(locale).queryKey, (live) =>
            withChanges(live ?? { entries: {}, skew: 0 }, changes),
          )
        },
      })
    }
    start()
    document.addEventListener('visibilitychange', start)
    return () => {
      document.removeEventListener('visibilitychange', start)
      stop.abort()
    }
  }, [locale, queryClient])
}
