import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { systemsQuery } from '@/lib/data/systems'
import { forceLogOut } from '@/lib/session/log-out'
import { dashboardOf } from '@/lib/session/role-home'
import { useSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { startUp } from './start-up'

/** Loads the session's systems and acts on the list. Errors and cached lists have no effect. */
export function useStartUp() {
  const navigate = useNavigate()
  const { data, isSuccess, isFetchedAfterMount, isStale } = useQuery({
    ...systemsQuery,
    enabled: isAuthenticated(),
  })
  // A cached list is stale. A prefetched answer may have come before this effect.
  const answered = isSuccess && (isFetchedAfterMount || !isStale)
  const started = useRef(false)

  useEffect(() => {
    if (!data || !answered) return
    const { role, serials: known } = useSession.getState()
    const found = data.map(({ sn }) => sn)
    const outcome = startUp({ role, known, found })
    if (outcome === 'no_systems') {
      void forceLogOut('no_systems')
      return
    }
    useSession.setState({ serials: found })
    // Later lists differ because of the person's own actions, and do not navigate away.
    if (outcome === 'changed' && !started.current) void navigate({ to: dashboardOf(role), replace: true })
    started.current = true
  }, [data, answered, navigate])
}
