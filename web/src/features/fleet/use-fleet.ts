import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef } from 'react'
import { systemsQuery } from '@/lib/api/queries'
import { useLive, useLiveStream } from '@/lib/live/use-live'
import { useNow } from '@/lib/use-now'
import { indexOf, type Row, rowsOf } from './model/row'

/** How old a value is changes slowly: this often is often enough. */
const AGE_CHECK = 5_000

/** Every system that the electrician may see, with the newest word of each. Null rows: not known yet. */
export function useFleet() {
  useLiveStream()
  const systems = useQuery(systemsQuery)
  const live = useLive()
  // Of thousands of systems some report every moment: typing and scrolling come first. Nothing comes before the first answer.
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
