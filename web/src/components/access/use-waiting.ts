import { useQuery } from '@tanstack/react-query'
import { endingIn, householdsIn, invitationsIn, pendingGrantsQuery } from '@/lib/api/grants'
import { systemsQuery } from '@/lib/api/queries'
import { waitingForSwitch } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'

/** What an electrician can do something about, the most urgent first. */
export type Waiting = {
  kind: 'switch' | 'invitations' | 'ending' | 'commissionings'
  /** The systems that it is about. */
  serials: readonly string[]
  /** An invitation is of one owner, however many systems it is for. */
  count: number
}

/** Everything that waits for an electrician, for the start page and the bell alike. */
export function useWaiting(): Waiting[] {
  const { data: grants } = useQuery(pendingGrantsQuery)
  const { data: systems } = useQuery(systemsQuery)
  const { data: live } = useLive()
  const serialsOf = (list: readonly { sn: string }[]) => list.map(({ sn }) => sn)
  const each = (kind: Waiting['kind'], serials: readonly string[]): Waiting => ({
    kind,
    serials,
    count: serials.length,
  })
  const invitations = grants ? invitationsIn(grants) : []
  const unfinished = (systems ?? []).filter(({ commissioning }) => commissioning === 'in_progress')
  const all: Waiting[] = [
    each('switch', live ? waitingForSwitch(live) : []),
    { ...each('invitations', serialsOf(invitations)), count: householdsIn(invitations) },
    each('ending', grants ? serialsOf(endingIn(grants)) : []),
    each('commissionings', serialsOf(unfinished)),
  ]
  return all.filter(({ count }) => count > 0)
}
