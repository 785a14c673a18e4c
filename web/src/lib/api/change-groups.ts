import { queryClient } from '../query-client'
import { api, unwrap } from './client'
import { type Group, groupsQuery, systemsQuery } from './queries'

type Change = { name: string; serials: readonly string[] }

/** Creates a group, or changes the given one. */
export async function saveGroup(group: Group | null, { name, serials }: Change) {
  const body = { name: name.trim(), sn: serials.join() }
  if (group) await unwrap(api.PATCH('/api/auth/group/{id}/', { params: { path: { id: group.id } }, body }))
  else await unwrap(api.POST('/api/auth/group/', { body }))
  await readAgain()
}

export async function deleteGroup({ id }: Group) {
  await unwrap(api.DELETE('/api/auth/group/{id}/', { params: { path: { id } } }))
  await readAgain()
}

/** Joining one group leaves another, and systems contain their group's name, so all of it is invalidated. */
const readAgain = () =>
  Promise.all(
    [groupsQuery.queryKey, systemsQuery.queryKey].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  )
