/** One system of the fleet as a line of its table: what it says now, and how urgent that is. */
import {
  type InForce,
  inForceOf,
  isQuiet,
  isRestarting,
  restrictionsOf,
  updateIn,
} from '@/components/in-force/model'
import type { System } from '@/lib/api/queries'
import { LIVE_MAX_AGE } from '@/lib/constants'
import { formatVersion } from '@/lib/format'
import { isOpenedBySwitch, type Live, type LiveEntry } from '@/lib/live/live'
import { plainLetters } from '@/lib/plain-letters'

/** Worst first: the order of this list is the order of the table. */
export const STATUSES = ['fault', 'offline', 'stale', 'off', 'restricted', 'fine'] as const
export type Status = (typeof STATUSES)[number]

/** What is wrong, the gravest first. Calibration is the battery's own care and no fault. */
const FAULTS = ['bat', 'hw', 'relay', 'na_schutz', 'i2', 'i1', 'i', 'u', 'm', 'sm1'] as const
export type Fault = (typeof FAULTS)[number]

/** What does not change by the second, read once per list of systems. */
export type Entry = {
  system: System
  sn: string
  /** "Albers, Katrin", as it is sorted and read. */
  customer: string
  /** Where the name stands among all names; null without one. To compare names takes long, and rows are sorted every second. */
  rank: number | null
  /** The town. */
  place: string
  group: string
  /** Everything that a search looks through, in plain letters. */
  haystack: string
}

/** What an alarm is about, the gravest first, as on the server. */
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
  /** What it was made of. */
  live: LiveEntry | undefined
  status: Status
  /** Open ones: those that nobody has seen first, and of these the gravest. */
  alarms: readonly Alarm[]
  /** Smaller is more urgent: an alarm that nobody has seen, by how grave it is; one that somebody has; none. */
  urgency: number
  /** The gravest flag; null also where the battery says no more than that it has one. */
  fault: Fault | null
  /** What is in force and worth a word, what holds it back first. */
  inForce: readonly InForce[]
  /** Switched off at the main switch. */
  off: boolean
  /** W and %; null is not known, and of a system that is offline nothing is. */
  soc: number | null
  pv: number | null
  /** Above zero: discharge. Below: charge. */
  battery: number | null
  /** Above zero: import. Below: feed-in. */
  grid: number | null
  house: number | null
  firmware: string
  updatable: boolean
  updating: boolean
  /** When the portal last heard of it; null: never. */
  contact: number | null
  /** Since when it has been online, or offline. */
  since: number | null
}

/** As people sort names. */
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
 * @param now on the server's clock
 * @param before the rows as they were: one that says the same is the same row, and need not be drawn again
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

const AGEING: readonly Status[] = ['fine', 'restricted', 'off']

/** Whether it was young and is old, or the other way round; what is wrong or away stays so at any age. */
const hasAged = ({ status, live, inForce }: Row, now: number) =>
  (AGEING.includes(status) && isOld(live, now)) ||
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
  // The last powers of a system that is away say nothing about now; its charge changes slowly and stays, greyed.
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

/** What an older version of the app has kept has none. */
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
  // Back for a moment only: the alarm about its absence ends when it stays.
  const wrong = alarms.some(({ kind }) => kind !== 'offline')
  if (fault || wrong || live.battery_status === 'fault') return 'fault'
  if (isOld(live, now)) return 'stale'
  // The switch belongs to the update, which says what it waits for.
  if (off && !updateIn(restrictions)) return 'off'
  return restrictions.length > 0 ? 'restricted' : 'fine'
}
