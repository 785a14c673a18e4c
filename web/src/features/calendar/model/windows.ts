/** The daily windows in which batteries may charge and discharge. */
import type { components } from '@/lib/api/schema'

type Settings = Pick<components['schemas']['SettingsEntry'], 'sn' | 'desired'>

type Window = { from: string; until: string }
export type Windows = {
  /** The systems with these windows; empty for all. */
  serials: string[]
  charge: Window | null
  discharge: Window | null
}

/** Groups systems with the same windows; systems without restrictions are left out. */
export function windowsOf(systems: readonly Settings[]): Windows[] {
  const groups = new Map<string, Windows>()
  for (const { sn, desired } of systems) {
    const charge = windowOf(desired.charge_start, desired.charge_end)
    const discharge = windowOf(desired.discharge_start, desired.discharge_end)
    if (!charge && !discharge) continue
    const key = JSON.stringify([charge, discharge])
    const group = groups.get(key) ?? { serials: [], charge, discharge }
    group.serials.push(sn)
    groups.set(key, group)
  }
  return [...groups.values()].map((group) =>
    group.serials.length === systems.length ? { ...group, serials: [] } : group,
  )
}

/** 00:00 to 24:00 is no restriction. */
function windowOf(from: string | undefined, until: string | undefined): Window | null {
  if (!from || !until || (from === '00:00' && until === '24:00')) return null
  return { from, until }
}
