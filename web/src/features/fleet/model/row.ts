/** A system as a row of the fleet: its current values and its urgency. */
import {
  type InForce,
  inForceOf,
  isQuiet,
  isRestarting,
  restrictionsOf,
  updateIn,
} from '@/components/in-force/model'
import { LIVE_MAX_AGE } from '@/lib/constants'
import type { System } from '@/lib/data/systems'
import { formatVersion } from '@/lib/format'
import { isOpenedBySwitch, type Live, type LiveEntry } from '@/lib/live/live'
import { plainLetters } from '@/lib/plain-letters'

/** Worst first; also the order of the table. */
export const STATUSES = ['fault', 'offline', 'stale', 'off', 'restricted', 'fine'] as const
export type Status = (typeof STATUSES)[number]

/** Faults, most serious first. Calibration is routine maintenance and no fault. */
const FAULTS = ['bat', 'hw', 'relay', 'na_schutz', 'i2', 'i1', 'i', 'u', 'm', 'sm1'] as const
export type Fault = (typeof FAULTS)[number]

/** The static data of a row, computed once per list of systems. */
export type Entry = {
  system: System
  sn: string
  /** "Albers, Katrin", for display and sorting. */
  customer: string
  /**
   * The rank of the name among all; null without a name. Collation is slow, and rows are sorted every second.
   */
  rank: number | null
  /** The town. */
  place: string
  group: string
  /** The searchable text without accents. */
  haystack: string
}

/** Alarm kinds, most serious first, as on the server. */
const KINDS = [
  'battery_error',
  'na_schutz',
  'offline',
  'meter_error',
  'counter_stopped',
  'update_failed',
  'soc_floor',
]

export type Alarm = LiveEntry['alarms'][number]

export type Row = Entry & {
  /** The source of the row. */
  live: LiveEntry | undefined
  status: Status
  /** Open alarms: unacknowledged first, then by seriousness. */
  alarms: readonly Alarm[]
  /** Smaller is more urgent: unacknowledged alarms by seriousness, then acknowledged ones, then none. */
  urgency: number
  /** The most serious flag; null also if the battery reports a fault without a flag. */
  fault: Fault | null
  /** What is in force, restrictions first. */
  inForce: readonly InForce[]
  /** Switched off at the main switch. */
  off: boolean
  /** In W and %; null is unknown, as are all values of an offline system. */
  soc: number | null
  pv: number | null
  /** Positive: discharge. Negative: charge. */
  battery: number | null
  /** Positive: import. Negative: feed-in. */
  grid: number | null
  house: number | null
  firmware: string
  updatable: boolean
  updating: boolean
  /** The last contact; null: never. */
  contact: number | null
  /** When it went online or offline. */
  since: number | null
}

/** Natural sort order of names. */
export const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true }).compare

export function indexOf(systems: readonly System[]): Entry[] {
  const names = [...new Set(systems.map(customerOf))].filter(Boolean).sort(byName)
  const ranks = new Map(names.map((name, rank) => [name, rank]))
  return systems.map((system) => {
    const customer = customerOf(system)
    const group = system.group_name ?? ''
    const place = system.place ?? ''
    const haystack = plainLetters(`${system.sn} ${customer} ${group} ${place}`)
    return { system, sn: system.sn, customer, rank: ranks.get(customer) ?? null, place, group, haystack }
  })
}

const customerOf = ({ last_name, first_name }: System) => [last_name, first_name].filter(Boolean).join(', ')

/**
 * @param now server time @param before the previous rows: unchanged rows keep their identity and are not
 * rendered again
 */
export const rowsOf = (
  index: readonly Entry[],
  { entries }: Pick<Live, 'entries'>,
  now: number,
  before: readonly Row[] = [],
): Row[] =>
  index.map((entry, place) => {
    const row = before[place]
    const live = entries[entry.sn]
    const same =
      row?.system === entry.system && row.rank === entry.rank && row.live === live && !hasAged(row, now)
    return same ? row : rowOf(entry, live, now)
  })

const CAN_BECOME_STALE: readonly Status[] = ['fine', 'restricted', 'off']

/** Whether the row changes by age alone: its value became stale, or an effect ended. */
const hasAged = ({ status, live, inForce }: Row, now: number) =>
  (CAN_BECOME_STALE.includes(status) && isOld(live, now)) ||
  (status === 'stale' && !isOld(live, now)) ||
  inForce.some(({ until }) => until != null && until <= now)

const isOld = (live: LiveEntry | undefined, now: number) => now - (live?.measured_at ?? 0) > LIVE_MAX_AGE

function rowOf(entry: Entry, live: LiveEntry | undefined, now: number): Row {
  const { master_version, gateway_version } = entry.system
  const off = live?.message2.aus === true || live?.battery_status === 'off'
  const fault = live ? faultOf(live.message2, off) : null
  const alarms = alarmsOf(live)
  const inForce = inForceOf(live, now).filter((one) => !isQuiet(one) && one.kind !== 'brake')
  const status = statusOf({ live, off, fault, alarms, restrictions: restrictionsOf(inForce), now })
  // An offline system has no current powers. Its state of charge changes slowly and stays, greyed.
  const current = live?.online ? live : undefined
  return {
    ...entry,
    live,
    status,
    alarms,
    urgency: urgencyOf(alarms),
    fault: status === 'fault' ? fault : null,
    inForce,
    off,
    soc: live?.SOC ?? null,
    pv: current?.PV_power ?? null,
    battery: current?.battery_power ?? null,
    grid: current?.grid_power ?? null,
    house: current?.m8 ?? null,
    firmware: [master_version, gateway_version].map(formatVersion).join(' / '),
    updatable: live?.updatable ?? false,
    updating: inForce.some(({ kind }) => kind === 'update'),
    contact: live?.received_at ?? live?.measured_at ?? null,
    since: live?.state_since_at ?? null,
  }
}

const faultOf = (flags: LiveEntry['message2'], off: boolean): Fault | null =>
  FAULTS.find((flag) => flags[flag] && !isOpenedBySwitch(flag, { aus: off })) ?? null

/** An entry that an older version has cached has none. */
function alarmsOf(live: Partial<Pick<LiveEntry, 'alarms'>> | undefined): readonly Alarm[] {
  const rank = ({ acknowledged, kind }: Alarm) => Number(acknowledged) * KINDS.length + KINDS.indexOf(kind)
  return [...(live?.alarms ?? [])].sort((a, b) => rank(a) - rank(b))
}

function urgencyOf([first]: readonly Alarm[]): number {
  if (!first) return KINDS.length + 1
  return first.acknowledged ? KINDS.length : KINDS.indexOf(first.kind)
}

type Facts = Pick<Row, 'live' | 'off' | 'fault' | 'alarms'> & {
  restrictions: readonly InForce[]
  now: number
}

function statusOf({ live, off, fault, alarms, restrictions, now }: Facts): Status {
  if (!live?.online) return isRestarting(restrictions, live?.state_since_at, now) ? 'restricted' : 'offline'
  // An online system may still have an `offline` alarm, which ends when it stays online.
  const wrong = alarms.some(({ kind }) => kind !== 'offline')
  if (fault || wrong || live.battery_status === 'fault') return 'fault'
  if (isOld(live, now)) return 'stale'
  // During an update the update's state explains the switch.
  if (off && !updateIn(restrictions)) return 'off'
  return restrictions.length > 0 ? 'restricted' : 'fine'
}
