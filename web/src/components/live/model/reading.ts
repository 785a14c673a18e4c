/** What one system, or all of them together, say now: the API's words in ours, in this one place. */

import type { InForce } from '@/components/in-force/model'
import { LIVE_CONTACT, LIVE_MAX_AGE } from '@/lib/constants'
import { ALL_SYSTEMS, type Live, type LiveEntry } from '@/lib/live/live'
import { directionOf, gridDeadBand } from '@/lib/power'

export type BatteryStatus =
  | 'off'
  | 'standby'
  | 'charging'
  | 'discharging'
  | 'full'
  | 'empty'
  | 'calibrating'
  | 'fault'

/** W, V and %; null is not measured, which is not zero. */
export type Powers = {
  pv: number | null
  /** Above zero: import. Below: feed-in. */
  grid: number | null
  /** Above zero: discharge. Below: charge. */
  battery: number | null
  house: number | null
}

export type Reading = Powers & {
  soc: number | null
  voltage: number | null
  status: BatteryStatus | null
  flags: LiveEntry['message2']
  messages: LiveEntry['last_messages']
  calibrationDays: number | null
  /** When it was measured. */
  at: number | null
  online: boolean
  /** Since when it has been online, or offline. */
  since: number | null
  timeZone: string
  /** Of all systems together: how many report. */
  together: { reporting: number; systems: number } | null
  /** Of all systems together: what each of them says. */
  parts: readonly Part[]
  /** What makes the battery act otherwise than its settings say. */
  inForce: readonly InForce[]
  /** An alarm is open, which says what to do. */
  alarm: boolean
}

export type Part = { sn: string; reading: Reading }

/** Less than this is no import and no feed-in, in W. */
export const gridDeadBandOf = ({ together }: Pick<Reading, 'together'>) => gridDeadBand(together?.reporting)

/** The words for grid and battery, the same wherever they stand. */
export const directionsOf = (reading: Reading) => ({
  grid: directionOf(reading.grid, gridDeadBandOf(reading)),
  battery: directionOf(reading.battery),
})

/** @param entries those of the single systems, if `entry` is of all of them together */
export function readingOf(entry: LiveEntry, entries: Live['entries'] = {}): Reading {
  const { reporting, systems } = entry
  const together =
    typeof reporting === 'number' && typeof systems === 'number' ? { reporting, systems } : null
  return {
    pv: entry.PV_power ?? null,
    grid: entry.grid_power ?? null,
    battery: entry.battery_power ?? null,
    house: entry.m8 ?? null,
    soc: entry.SOC ?? null,
    voltage: entry.grid_voltage ?? null,
    status: (entry.battery_status as BatteryStatus | null | undefined) ?? null,
    flags: entry.message2,
    messages: entry.last_messages,
    calibrationDays: entry.calibration_days ?? null,
    at: entry.measured_at ?? null,
    online: entry.online,
    since: entry.state_since_at ?? null,
    timeZone: entry.time_zone,
    together,
    parts: together ? partsOf(entries) : [],
    // What an older version of the app has kept has neither.
    inForce: entry.in_force ?? [],
    alarm: (entry.alarms ?? []).length > 0,
  }
}

const partsOf = (entries: Live['entries']): Part[] =>
  Object.entries(entries)
    .filter(([sn]) => sn !== ALL_SYSTEMS)
    .map(([sn, entry]) => ({ sn, reading: readingOf(entry) }))

/**
 * `stale`: the value is older than 90 s, or the portal itself has said nothing for a while. `offline`: the portal itself
 * hears nothing of the system. `never`: it has not said anything yet. Only `live` is drawn as now.
 */
export type Freshness = 'live' | 'stale' | 'offline' | 'never'

/**
 * @param now on the server's clock
 * @param heardAt when the portal last said anything about its systems, on the same clock
 */
export function freshnessOf({ at, online, together }: Reading, now: number, heardAt = now): Freshness {
  if (at === null) return together ? 'offline' : 'never'
  if (!online) return 'offline'
  return now - at > LIVE_MAX_AGE || now - heardAt > LIVE_CONTACT ? 'stale' : 'live'
}

/**
 * Until when the day's sums count what happened; null: until now.
 * @param askedAt when they were read, on the server's clock like `now`
 */
export function countedUntil(
  { at }: Reading,
  freshness: Freshness,
  askedAt: number,
  now: number,
): number | null {
  if (freshness !== 'live') return at
  return now - askedAt > LIVE_MAX_AGE ? askedAt : null
}
