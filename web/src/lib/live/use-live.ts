import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { systemsQuery } from '../api/queries'
import { LIVE_GATHER, LIVE_REFRESH } from '../constants'
import { useT } from '../i18n/use-t'
import { accountOf, isAuthenticated, readTokens } from '../session/tokens'
import { follow } from './event-stream'
import { makeGatherer } from './gather'
import { tellListeners } from './listeners'
import { entriesOf, flagsOf, type LiveDocument, withChanges } from './live'
import { liveQuery } from './live-query'

/** Live data. An error leaves the last values, which then grow old visibly. */
export function useLive() {
  const { locale } = useT()
  return useQuery({ ...liveQuery(locale), enabled: isAuthenticated() })
}

/** How far the portal's clock is ahead of this device's, in ms: what happens now happens by the portal's. */
export function useSkew(): number {
  const { locale } = useT()
  const { data } = useQuery({ ...liveQuery(locale), enabled: isAuthenticated(), select: ({ skew }) => skew })
  return data ?? 0
}

/**
 * Reads live data every 30 s, whatever else happens. Not by the query's own interval, which begins anew with every
 * event of the stream and would never be over. A session that has ended is renewed, or logged out, by the API client.
 */
export function useLiveRefresh() {
  const { locale } = useT()
  const queryClient = useQueryClient()
  useEffect(() => {
    const { queryKey } = liveQuery(locale)
    // An attempt and its repetitions may take longer than a round. Begun anew each time, it would never count as failed.
    const refresh = () => void queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
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
  // It goes on where the first answer ends: thousands of systems need not come twice.
  const { isPending } = useLive()
  useEffect(() => {
    if (isPending) return
    let stop = new AbortController()
    let opened = false
    const account = accountOf(readTokens().access)
    const gatherer = makeGatherer<LiveDocument>(LIVE_GATHER, (news) => {
      // Somebody else may have logged in while it waited.
      if (accountOf(readTokens().access) !== account) return
      queryClient.setQueryData(liveQuery(locale).queryKey, (live) =>
        news.reduce(
          (known, one) => withChanges(known, entriesOf(one), flagsOf(one)),
          live ?? { entries: {}, skew: 0 },
        ),
      )
    })
    const start = () => {
      stop.abort()
      if (document.visibilityState === 'hidden') return
      stop = new AbortController()
      void follow({
        signal: stop.signal,
        sn,
        since: queryClient.getQueryData(liveQuery(locale).queryKey)?.at,
        onOpen: () => {
          // The server ends a stream when the person may see other systems than at its beginning.
          if (opened)
            for (const { queryKey } of [systemsQuery, liveQuery(locale)])
              void queryClient.invalidateQueries({ queryKey })
          opened = true
          tellListeners('opened')
        },
        onEvent: (event) => {
          tellListeners(event)
          if (event.name === 'data') gatherer.add(JSON.parse(event.data) as LiveDocument)
        },
      })
    }
    start()
    document.addEventListener('visibilitychange', start)
    return () => {
      document.removeEventListener('visibilitychange', start)
      stop.abort()
      gatherer.stop()
    }
  }, [isPending, locale, queryClient, sn])
}
