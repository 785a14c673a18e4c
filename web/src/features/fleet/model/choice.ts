/** Which systems of the fleet somebody has ticked, and what becomes of their groups. */
import type { Group } from '@/lib/api/queries'

export type Chosen = ReadonlySet<string>

export function withToggled(chosen: Chosen, sn: string): Chosen {
  const next = new Set(chosen)
  if (!next.delete(sn)) next.add(sn)
  return next
}

/** Ticks all that are shown; when they all are ticked already, none of them. What is not shown stays as it is. */
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

/** The systems that a group has afterwards. */
export const joined = ({ systems }: Pick<Group, 'systems'>, chosen: Chosen): string[] => [
  ...new Set([...systems, ...chosen]),
]

/** The groups that lose a system when these are in none any more, each with what stays. */
export const leftGroups = (groups: readonly Group[], chosen: Chosen): { group: Group; serials: string[] }[] =>
  groups
    .filter(({ systems }) => systems.some((sn) => chosen.has(sn)))
    .map((group) => ({ group, serials: group.systems.filter((sn) => !chosen.has(sn)) }))
