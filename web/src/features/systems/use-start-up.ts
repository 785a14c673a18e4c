import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { systemsQuery } from '@/lib/api/queries'
import { forceLogOut } from '@/lib/session/log-out'
import { dashboardOf } from '@/lib/session/role-home'
import { useSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { startUp } from './start-up'

/** Loads the systems of the session and acts on the list. An error decides nothing, and neither does a list from last time. */
export function useStartUp() {
  const navigate = useNavigate()
  const { data, isSuccess, isFetchedAfterMount, isStale } = useQuery({
    ...systemsQuery,
    enabled: isAuthenticated(),
  })
  // What was kept counts as old; what was asked for ahead may have come before this.
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
    // Later lists differ because of what the person has just done, and do not take the page away.
    if (outcome === 'changed' && !started.current) void navigate({ to: dashboardOf(role), replace: true })
    started.current = true
  }, [data, answered, navigate])
}
