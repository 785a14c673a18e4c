/** The selected system: of the page or link, otherwise the tab's last choice, otherwise all. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { systemsQuery } from '@/lib/data/systems'
import { ALL_SYSTEMS } from './live/live'
import { useSession } from './session/session-store'

/** With several systems the first choice is all of them. */
export const selectable = (serials: readonly string[]) =>
  serials.length > 1 ? [ALL_SYSTEMS, ...serials] : [...serials]

/** The first candidate that exists. Null: there are no systems. */
export function selectedOf(serials: readonly string[], candidates: readonly unknown[]): string | null {
  const choices = selectable(serials)
  const possible = candidates.find((candidate): candidate is string =>
    choices.some((choice) => choice === candidate),
  )
  return possible ?? choices[0] ?? null
}

/** The router parses `-1` and serial numbers of digits only as numbers. */
const asText = (candidate: unknown) => (typeof candidate === 'number' ? String(candidate) : candidate)

export function useSelection() {
  const known = useSession((session) => session.serials)
  const chosen = useSession((session) => session.selected)
  const linked = useSearch({ strict: false, select: (search: { sn?: unknown }) => asText(search.sn) })
  // A page about one system of a fleet.
  const paged = useParams({ strict: false, select: (params: { sn?: string }) => params.sn })
  const { data } = useQuery(systemsQuery)
  const navigate = useNavigate()
  const serials = data?.map(({ sn }) => sn) ?? known ?? []
  const choose = useCallback(
    (sn: string) => {
      useSession.setState({ selected: sn })
      void navigate({ to: '.', search: (search: object) => ({ ...search, sn }) })
    },
    [navigate],
  )
  return { sn: selectedOf(serials, [paged, linked, chosen]), serials, choose }
}
