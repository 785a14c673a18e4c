/** The selection in the fleet, and moving it between groups. */
import type { Group } from '@/lib/data/groups'

export type Chosen = ReadonlySet<string>

export function withToggled(chosen: Chosen, sn: string): Chosen {
  const next = new Set(chosen)
  if (!next.delete(sn)) next.add(sn)
  return next
}

/** Selects all shown systems; if all are selected already, deselects them. Hidden ones stay as they are. */
export function withAll(chosen: Chosen, shown: readonly string[]): Chosen {
  const next = new Set(chosen)
  const all = shown.every((sn) => chosen.has(sn))
  for (const sn of shown) all ? next.delete(sn) : next.add(sn)
  return next
}

export const howMany = (chosen: Chosen, shown: readonly string[]): 'none' | 'some' | 'all' => {
  const count = shown.filter((sn) => chosen.has(sn)).length
  if (count === 0) return 'none'
  return count === shown.length ? 'all' : 'some'
}

/** The group's systems after adding the selection. */
export const joinedSerials = ({ systems }: Pick<Group, 'systems'>, chosen: Chosen): string[] => [
  ...new Set([...systems, ...chosen]),
]

/** The groups that lose systems of the selection, with their remaining systems. */
export const groupsWithout = (
  groups: readonly Group[],
  chosen: Chosen,
): { group: Group; serials: string[] }[] =>
  groups
    .filter(({ systems }) => systems.some((sn) => chosen.has(sn)))
    .map((group) => ({ group, serials: group.systems.filter((sn) => !chosen.has(sn)) }))
