import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { systemsQuery } from '@/lib/data/systems'
import { LIVE_BATCH_INTERVAL, LIVE_REFRESH } from '../constants'
import { useT } from '../i18n/use-t'
import { invalidate } from '../query-client'
import { accountOf, readTokens } from '../session/tokens'
import { makeBatcher } from './batcher'
import { follow } from './event-stream'
import { notifyListeners } from './listeners'
import { entriesOf, flagsOf, type LiveDocument, withChanges } from './live'
import { allLive, liveQuery } from './live-query'
import { useLive } from './use-live'
import { useWatched } from './watched'

/** Keeps live data up to date for every page behind the login. A component, so that only it renders again. */
export function LiveUpdates() {
  useLiveRefresh()
  useRefetchAfterOutage()
  useLiveStream()
  return null
}

/**
 * Polls live data every 30 s. The query's own interval restarts with every event of the stream and would
 * never elapse. The API client renews an expired session, or logs out.
 */
function useLiveRefresh() {
  const { locale } = useT()
  const queryClient = useQueryClient()
  useEffect(() => {
    const { queryKey } = liveQuery(locale)
    // A request with its retries may take longer than the interval. Restarting it would never let it fail.
    const refresh = () => void queryClient.refetchQueries({ queryKey }, { cancelRefetch: false })
    const timer = setInterval(refresh, LIVE_REFRESH)
    return () => clearInterval(timer)
  }, [locale, queryClient])
}

/**
 * After live data could not be loaded and can be again, the network is back: everything else is refetched.
 */
function useRefetchAfterOutage() {
  const queryClient = useQueryClient()
  const failing = useLive().isError
  const failed = useRef(false)
  useEffect(() => {
    if (failed.current && !failing)
      void queryClient.refetchQueries({
        type: 'active',
        predicate: ({ queryKey: [kind] }) => kind !== allLive.queryKey[0],
      })
    failed.current = failing
  }, [failing, queryClient])
}

/** Streams changes within a second, in addition to polling, while the tab is visible. */
function useLiveStream() {
  const { locale } = useT()
  const sn = useWatched()
  const queryClient = useQueryClient()
  // Starts after the first answer and continues from it, so that thousands of systems are not sent twice.
  const { isPending } = useLive()
  useEffect(() => {
    if (isPending) return
    let stop = new AbortController()
    let opened = false
    const account = accountOf(readTokens().access)
    const gatherer = makeBatcher<LiveDocument>(LIVE_BATCH_INTERVAL, (news) => {
      // Another account may have logged in meanwhile.
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
        locale,
        since: queryClient.getQueryData(liveQuery(locale).queryKey)?.at,
        onOpen: () => {
          // The server ends a stream when the visible systems change.
          if (opened) void invalidate(systemsQuery, liveQuery(locale))
          opened = true
          notifyListeners('opened')
        },
        onEvent: (event) => {
          notifyListeners(event)
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
