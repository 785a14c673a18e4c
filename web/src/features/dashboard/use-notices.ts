import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { NOTICE_TIMEOUT } from '@/lib/constants'
import { pendingCount, pendingGrantsQuery } from '@/lib/data/grants'
import type { LiveEntry } from '@/lib/live/live'
import { useBadWeather } from './use-bad-weather'

type Notice = 'alarm' | 'decisions' | 'weather'

/**
 * The notices at the top of the page; null while they are unknown, so that nothing below moves later. It does
 * not wait for failed or slow requests.
 */
export function useNotices(entry: LiveEntry | undefined): Record<Notice, boolean> | null {
  const weather = useBadWeather()
  const grants = useQuery(pendingGrantsQuery)
  const isLate = useIsLate(NOTICE_TIMEOUT)
  const asking = weather === undefined || (grants.isPending && grants.failureCount === 0)
  // An entry that an older version has cached has no alarms.
  const alarm = Boolean(entry?.alarms?.[0])
  const known = entry && (!asking || isLate)
  const wanted = known
    ? [alarm && 'alarm', pendingCount(grants.data) > 0 && 'decisions', weather && 'weather']
        .filter(Boolean)
        .join(' ')
    : null
  // Notices are loaded on demand; until then the page stays as it is.
  const loaded = useDeferredValue(wanted, null)
  const shown = wanted === '' ? wanted : loaded
  if (shown === null) return null
  const has = (notice: Notice) => shown.includes(notice)
  return { alarm: has('alarm'), decisions: has('decisions'), weather: has('weather') }
}

/** Whether this much time has passed since the page was opened. */
function useIsLate(timeout: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), timeout)
    return () => clearTimeout(timer)
  }, [timeout])
  return late
}
