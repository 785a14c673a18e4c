/** The list's sections: groups by name, then the systems without one. */
import type { System } from '@/lib/data/systems'
import { ALL_SYSTEMS } from '@/lib/live/live'

/** The entry for all systems, where there are several. */
export const ALL_SYSTEMS_ENTRY = { sn: ALL_SYSTEMS, phase: -1 } as const

export type Section = {
  /** Null: systems without a group. */
  name: string | null
  systems: System[]
}

/** @param names groups that are shown even if they are empty */
export function sectionsOf(systems: readonly System[], names: readonly string[] = []): Section[] {
  const groups = new Set([...names, ...systems.map(({ group_name }) => group_name).filter((name) => !!name)])
  const inGroup = (name: string | null) => systems.filter((system) => (system.group_name || null) === name)
  const sections: Section[] = [...(groups as Set<string>)]
    .sort((a, b) => a.localeCompare(b, undefined, { sensitivity: 'base', numeric: true }))
    .map((name) => ({ name, systems: inGroup(name) }))
  const rest = inGroup(null)
  return rest.length > 0 ? [...sections, { name: null, systems: rest }] : sections
}

/** The name of the person who lives with the battery. */
export const endUserOf = ({ first_name, last_name }: System) =>
  [first_name, last_name].filter(Boolean).join(' ')
