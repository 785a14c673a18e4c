/** Translates an entry of the live API into our own names. Only this file knows both. */

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

/** In W, V and %; null is not measured. */
export type Powers = {
  pv: number | null
  /** Positive: import. Negative: feed-in. */
  grid: number | null
  /** Positive: discharge. Negative: charge. */
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
  /** Time of the measurement. */
  at: number | null
  online: boolean
  /** When it went online or offline. */
  since: number | null
  timeZone: string
  /** For all systems together: how many of them report. */
  together: { reporting: number; systems: number } | null
  /** For all systems together: each single system. */
  parts: readonly Part[]
  /** What overrides the battery's settings. */
  inForce: readonly InForce[]
  /** An alarm is open. */
  alarm: boolean
}

export type Part = { sn: string; reading: Reading }

/** Grid power below this counts as zero, in W. */
export const gridDeadBandOf = ({ together }: Pick<Reading, 'together'>) => gridDeadBand(together?.reporting)

/** The directions of grid and battery as word keys. */
export const directionsOf = (reading: Reading) => ({
  grid: directionOf(reading.grid, gridDeadBandOf(reading)),
  battery: directionOf(reading.battery),
})

/** @param entries the single systems, if `entry` is the sum of all of them */
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
    // Entries that an older version has cached lack both.
    inForce: entry.in_force ?? [],
    alarm: (entry.alarms ?? []).length > 0,
  }
}

const partsOf = (entries: Live['entries']): Part[] =>
  Object.entries(entries)
    .filter(([sn]) => sn !== ALL_SYSTEMS)
    .map(([sn, entry]) => ({ sn, reading: readingOf(entry) }))

/**
 * `stale`: the value is older than 90 s, or the portal has been silent for a while. `offline`: the portal
 * hears nothing of the system. `never`: the system has never reported. Only `live` is drawn as current.
 */
export type Freshness = 'live' | 'stale' | 'offline' | 'never'

/** @param now server time @param heardAt when the portal last sent live data, in server time */
export function freshnessOf({ at, online, together }: Reading, now: number, heardAt = now): Freshness {
  if (at === null) return together ? 'offline' : 'never'
  if (!online) return 'offline'
  return now - at > LIVE_MAX_AGE || now - heardAt > LIVE_CONTACT ? 'stale' : 'live'
}

/**
 * The end of the time that the day's sums cover; null: now. @param askedAt when they were read, in server
 * time
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
