/** Systems in the order in which people look for them: under the name of their group, those without one at the end. */
import type { System } from '@/lib/api/queries'
import { ALL_SYSTEMS } from '@/lib/live/live'

/** With more than one system there is this entry for all of them. */
export const TOGETHER = { sn: ALL_SYSTEMS, phase: -1 } as const

export type Section = {
  /** Null: without a group. */
  name: string | null
  systems: System[]
}

/** @param names groups that are shown even when nothing is in them */
export function sectionsOf(systems: readonly System[], names: readonly string[] = []): Section[] {
  const groups = new Set([...names, ...systems.map(({ group_name }) => group_name).filter((name) => !!name)])
  const inGroup = (name: string | null) => systems.filter((system) => (system.group_name || null) === name)
  const sections: Section[] = [...(groups as Set<string>)]
    .sort((a, b) => a.localeCompare(b, undefined, { sensitivity: 'base', numeric: true }))
    .map((name) => ({ name, systems: inGroup(name) }))
  const rest = inGroup(null)
  return rest.length > 0 ? [...sections, { name: null, systems: rest }] : sections
}

/** The person at whose house it stands. */
export const endUserOf = ({ first_name, last_name }: System) =>
  [first_name, last_name].filter(Boolean).join(' ')
