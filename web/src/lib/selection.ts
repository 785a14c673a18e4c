/** Which system the person looks at: what the page is about or a link says, then what was chosen in this tab, then all of them. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { systemsQuery } from './api/queries'
import { ALL_SYSTEMS } from './live/live'
import { useSession } from './session/session-store'

/** With more than one system there is an entry for all of them, which is the first choice. */
export const selectable = (serials: readonly string[]) =>
  serials.length > 1 ? [ALL_SYSTEMS, ...serials] : [...serials]

/** The first wish that can be met. Null: there is no system to look at. */
export function selectedOf(serials: readonly string[], wishes: readonly unknown[]): string | null {
  const choices = selectable(serials)
  const possible = wishes.find((wish): wish is string => choices.some((choice) => choice === wish))
  return possible ?? choices[0] ?? null
}

/** A link names a serial number of digits alone, or -1, without quotes: the address bar then reads it as a number. */
const asText = (wish: unknown) => (typeof wish === 'number' ? String(wish) : wish)

export function useSelection() {
  const known = useSession((session) => session.serials)
  const chosen = useSession((session) => session.selected)
  const linked = useSearch({ strict: false, select: (search: { sn?: unknown }) => asText(search.sn) })
  // One system of a fleet has a page of its own.
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
