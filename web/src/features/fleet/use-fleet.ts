import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef } from 'react'
import { systemsQuery } from '@/lib/data/systems'
import { useLive } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { indexOf, type Row, rowsOf } from './model/row'

/** Ages change slowly, so they are updated this often. In ms. */
const AGE_CHECK = 5_000

/** Every system of the electrician with its newest data. Null rows: still loading. */
export function useFleet() {
  const systems = useQuery(systemsQuery)
  const live = useLive()
  // Deferred: with thousands of systems, typing and scrolling have priority over live data. The first answer
  // is not deferred.
  const newest = useDeferredValue(live.data) ?? live.data
  const now = useNow(AGE_CHECK) + (newest?.skew ?? 0)
  const index = useMemo(() => systems.data && indexOf(systems.data), [systems.data])
  const before = useRef<Row[]>([])
  const rows = useMemo(() => {
    if (!index || !newest) return null
    before.current = rowsOf(index, newest, now, before.current)
    return before.current
  }, [index, newest, now])
  return { rows, now, systems, live }
}
