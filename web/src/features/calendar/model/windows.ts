/** The times of the day at which batteries may charge and discharge: they are planned for every day. */
import type { components } from '@/lib/api/schema'

type Settings = Pick<components['schemas']['SettingsEntry'], 'sn' | 'desired'>

type Window = { from: string; until: string }
export type Windows = {
  /** The systems that have these times; empty: all that are shown. */
  serials: string[]
  charge: Window | null
  discharge: Window | null
}

/** Systems with the same times together; those that may do everything all day are left out. */
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

/** From 00:00 to 24:00 is no window. */
function windowOf(from: string | undefined, until: string | undefined): Window | null {
  if (!from || !until || (from === '00:00' && until === '24:00')) return null
  return { from, until }
}
