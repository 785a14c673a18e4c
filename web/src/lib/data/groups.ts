/** The account's own groups of systems. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { invalidate } from '../query-client'
import { systemsQuery } from './systems'

export type Group = components['schemas']['GroupEntry']

/** By name. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: () => unwrap(api.GET('/api/auth/group/')),
})

/** Joining one group leaves another, and systems contain their group's name. */
const changed = () => invalidate(groupsQuery, systemsQuery)

type Change = { name: string; serials: readonly string[] }

/** Creates a group, or changes the given one. */
export async function saveGroup(group: Group | null, { name, serials }: Change) {
  const body = { name: name.trim(), sn: serials.join() }
  if (group) await unwrap(api.PATCH('/api/auth/group/{id}/', { params: { path: { id: group.id } }, body }))
  else await unwrap(api.POST('/api/auth/group/', { body }))
  await changed()
}

export async function deleteGroup({ id }: Group) {
  await unwrap(api.DELETE('/api/auth/group/{id}/', { params: { path: { id } } }))
  await changed()
}
