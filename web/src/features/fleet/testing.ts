/** A test fleet: systems with their live entries and overrides. */
import type { System } from '@/lib/data/systems'
import type { LiveEntry } from '@/lib/live/live'
import { liveEntry } from '@/lib/testing/live'

export type Special = Partial<System> & { sn: string; live?: Partial<LiveEntry> }

export function fleetOf(fleet: readonly Special[], now: number) {
  const systems = fleet.map(
    ({ live: _, ...special }): System => ({
      phase: 1,
      access: 'service',
      isActive: true,
      time_zone: 'Europe/Berlin',
      master_version: '4.12',
      gateway_version: '2.33',
      ...special,
    }),
  )
  const entries = Object.fromEntries(
    fleet.map(({ sn, live }) => [
      sn,
      liveEntry({ measured_at: now - 5_000, received_at: now - 5_000, ...live }),
    ]),
  )
  return { systems, entries }
}
