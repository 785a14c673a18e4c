import { useQuery } from '@tanstack/react-query'
import { pendingGrantsQuery } from '@/lib/data/grants'
import { endingIn, householdsIn, invitationsIn } from '@/lib/data/held-grants'
import { systemsQuery } from '@/lib/data/systems'
import { useT } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS, type Live } from '@/lib/live/live'
import { useLive } from '@/lib/live/use-live'

type Kind = 'switch' | 'invitations' | 'ending' | 'commissionings'

/** A task of an electrician. */
export type Task = {
  kind: Kind
  text: string
  /** The affected systems. */
  serials: readonly string[]
}

/** All tasks of an electrician, most urgent first, for the start page and the bell. */
export function useTasks(): Task[] {
  const { t } = useT()
  const { data: grants } = useQuery(pendingGrantsQuery)
  const { data: systems } = useQuery(systemsQuery)
  const { data: live } = useLive()
  const task = (kind: Kind, systems: readonly { sn: string }[], count = systems.length): Task[] =>
    count === 0
      ? []
      : [{ kind, text: t(`fleet.task.${kind}`, { count }), serials: systems.map(({ sn }) => sn) }]
  const invitations = grants ? invitationsIn(grants) : []
  const unfinished = (systems ?? []).filter(({ commissioning }) => commissioning === 'in_progress')
  return [
    ...task('switch', live ? waitingForSwitch(live).map((sn) => ({ sn })) : []),
    // One task per owner, even for several systems.
    ...task('invitations', invitations, householdsIn(invitations)),
    ...task('ending', grants ? endingIn(grants) : []),
    ...task('commissionings', unfinished),
  ]
}

/** Systems whose update waits for the main switch. Entries that an older version has cached have none. */
const waitingForSwitch = ({ entries }: Live): string[] =>
  Object.keys(entries).filter(
    (sn) =>
      sn !== ALL_SYSTEMS &&
      entries[sn]?.in_force?.some(({ kind, switch: step }) => kind === 'update' && step != null),
  )
