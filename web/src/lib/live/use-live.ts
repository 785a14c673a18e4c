import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { systemsQuery } from '../api/queries'
import { LIVE_REFRESH } from '../constants'
import { useT } from '../i18n/use-t'
import { isAuthenticated } from '../session/tokens'
import { follow } from './follow'
import { tellListeners } from './listeners'
import { entriesOf, flagsOf, type LiveDocument, withChanges } from './live'
import { liveQuery } from './live-query'

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

/**
 * Brings live data within a second, beside the 30 s refresh, while the page is on screen.
 * @param sn the systems that the page is about, separated by commas, if it is not about all
 */
export function useLiveStream(sn?: string) {
  const { locale } = useT()
  const queryClient = useQueryClient()
  // It begins with all systems, as the first answer does: thousands of them need not come twice before anything is shown.
  const { isPending } = useLive()
  useEffect(() => {
    if (isPending) return
    let stop = new AbortController()
    let opened = false
    const start = () => {
      stop.abort()
      if (document.visibilityState === 'hidden') return
      stop = new AbortController()
      void follow({
        signal: stop.signal,
        sn,
        onOpen: () => {
          // The server ends a stream when the person may see other systems than at its beginning.
          if (opened) void queryClient.invalidateQueries(systemsQuery)
          opened = true
          tellListeners('opened')
        },
        onEvent: (event) => {
          tellListeners(event)
          if (event.name !== 'data') return
          const news = JSON.parse(event.data) as LiveDocument
          queryClient.setQueryData(liveQuery(locale).queryKey, (live) =>
            withChanges(live ?? { entries: {}, skew: 0 }, entriesOf(news), flagsOf(news)),
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
  }, [isPending, locale, queryClient, sn])
}
