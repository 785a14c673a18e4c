import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../api/client'
import { apiError, networkError } from '../api/errors'
import { LIVE_REFRESH, LIVE_TIMEOUT } from '../constants'
import type { Locale } from '../i18n/locales'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { follow } from './follow'
import { tellListeners } from './listeners'
import { entriesOf, type Live, type LiveDocument, newerOf, skewOf, withChanges } from './live'

/** Messages in it are in a language, so each language has an answer of its own. */
export const liveQuery = (locale: Locale) =>
  queryOptions({
    queryKey: ['live', locale],
    queryFn: readLive,
    placeholderData: keepPreviousData,
    structuralSharing: (known, answer) => newerOf(known as Live | undefined, answer as Live),
  })

async function readLive(): Promise<Live> {
  // On a line that swallows everything the next refresh would replace this one, and nobody would hear of a failure.
  const signal = AbortSignal.timeout(LIVE_TIMEOUT)
  const { data, error, response } = await api.GET('/api/auth/data/', { signal }).catch(() => {
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

/** When live data can be had again after they could not, the network is back: everything else on screen is asked for anew. */
export function useCatchUp() {
  const queryClient = useQueryClient()
  const failing = useLive().isError
  const failed = useRef(false)
  useEffect(() => {
    if (failed.current && !failing)
      void queryClient.refetchQueries({
        type: 'active',
        predicate: ({ queryKey: [kind] }) => kind !== 'live',
      })
    failed.current = failing
  }, [failing, queryClient])
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
        onOpen: () => tellListeners('opened'),
        onEvent: (event) => {
          tellListeners(event)
          if (event.name !== 'data') return
          const changes = entriesOf(JSON.parse(event.data) as LiveDocument)
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
