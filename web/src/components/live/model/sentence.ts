/** Chooses the sentence at the top of the page. Pure functions, so that every case has a test. */
import { isRestarting, updateIn } from '@/components/in-force/model'
import type { MessageId } from '@/lib/i18n/locales'
import { flowsOf, type Source, sharesOfHouse } from './flow'
import { directionsOf, type Freshness, gridDeadBandOf, type Reading } from './reading'

/** Watts, percent or a time; formatted by the component. */
type Values = { power?: number; other?: number; soc?: number; at?: number }
export type Line = { id: MessageId; values: Values }
export type Sentence = { headline: MessageId; detail: Line | null }

type Situation = {
  reading: Reading
  freshness: Freshness
  /** Usable Wh of the selected systems; null is unknown. */
  capacity: number | null
  /** New values are loading and no request has failed yet. */
  updating: boolean
  /** Server time. */
  now: number
}

export function sentenceOf(situation: Situation): Sentence {
  return notLive(situation) ?? notRunning(situation) ?? running(situation)
}

function notLive({ reading, freshness, updating, now }: Situation): Sentence | null {
  const { at, since, together } = reading
  if (freshness === 'never') return { headline: 'sentence.never', detail: line('sentence.never.text') }
  if (freshness === 'stale' && updating)
    return { headline: 'sentence.updating', detail: line('sentence.updating.text') }
  if (freshness === 'stale') return { headline: 'sentence.stale', detail: line('sentence.stale.text') }
  if (freshness !== 'offline') return null
  if (together) return { headline: 'sentence.all_offline', detail: line('sentence.offline.check') }
  const last = since ?? at
  if (isRestarting(reading.inForce, last, now))
    return { headline: 'sentence.restarts', detail: line('sentence.restarts.text') }
  return {
    headline: 'sentence.offline',
    detail: last === null ? line('sentence.offline.check') : line('sentence.offline.since', { at: last }),
  }
}

/** For several systems the labels report a single one that rests or fails, not this sentence. */
function notRunning({ reading: { status, flags, together, inForce, alarm } }: Situation): Sentence | null {
  const one = together === null
  const off = status === 'off' || (one && flags.aus)
  // During an update the update's own texts explain the switch.
  const update = updateIn(inForce)
  if (off && update && update.switch !== 'on')
    return { headline: 'sentence.in_update', detail: line('sentence.in_update.text') }
  if (off) return { headline: 'sentence.off', detail: line('sentence.off.text') }
  if (status === 'fault' || (one && (flags.bat || flags.hw || flags.relay)))
    return {
      headline: 'sentence.fault',
      detail: line(alarm ? 'sentence.fault.alarm' : 'sentence.fault.text'),
    }
  if (one && flags.na_schutz)
    return { headline: 'sentence.protection', detail: line('sentence.protection.text') }
  return null
}

function running(situation: Situation): Sentence {
  const { reading } = situation
  const { pv, grid, battery, house } = reading
  if (pv === null || grid === null || battery === null || house === null)
    return { headline: 'sentence.incomplete', detail: line('sentence.incomplete.text') }
  const headline = isPaused(situation) ? 'sentence.paused' : headlineOf(reading)
  return { headline, detail: detailOf(situation) }
}

/** For several systems a single pause does not change the sentence. */
const isPaused = ({ reading: { inForce, together }, now }: Situation) =>
  together === null && inForce.some(({ kind, until }) => kind === 'pause' && (until == null || until > now))

/** Sources below this share of the load or charge are not mentioned. */
const MIN_SHARE = 0.1

const HEADLINES: Record<string, MessageId> = {
  '': 'sentence.quiet',
  pv: 'sentence.sun',
  battery: 'sentence.battery',
  grid: 'sentence.grid',
  'pv,battery': 'sentence.sun_battery',
  'pv,grid': 'sentence.sun_grid',
  'battery,grid': 'sentence.battery_grid',
  'pv,battery,grid': 'sentence.sun_battery_grid',
}

function headlineOf(reading: Reading): MessageId {
  const shares = sharesOfHouse(flowsOf(reading, gridDeadBandOf(reading)))
  const carriers = (['pv', 'battery', 'grid'] as Source[]).filter((source) => shares[source] > MIN_SHARE)
  return HEADLINES[carriers.join()] ?? 'sentence.quiet'
}

function detailOf({ reading, capacity, now }: Situation): Line | null {
  const { soc, status } = reading
  const flows = flowsOf(reading, gridDeadBandOf(reading))
  const watts = (from: string, to: string) =>
    flows.find((flow) => flow.from === from && flow.to === to)?.watts ?? 0
  const feedIn = watts('pv', 'grid') + watts('battery', 'grid')
  // The total; shares below `WORTH_A_WORD` may be part of it.
  const charge = directionsOf(reading).battery === 'negative' ? -(reading.battery ?? 0) : 0
  if (status === 'calibrating') return line('sentence.calibrating')
  const fromGrid = watts('grid', 'battery')
  if (fromGrid > MIN_SHARE * charge) {
    const alone = charge - fromGrid <= MIN_SHARE * charge
    return line(alone ? 'sentence.charges_from_grid' : 'sentence.charges_also_from_grid', { power: charge })
  }
  if (charge > 0 && feedIn > 0) return line('sentence.charges_and_feeds', { power: charge, other: feedIn })
  if (charge > 0) return charging(charge, fullAt({ soc, capacity, charge, now }))
  if (feedIn > 0) return line('sentence.feeds_in', { power: feedIn })
  if (watts('battery', 'house') > 0 && soc !== null)
    return line('sentence.discharges', { power: watts('battery', 'house'), soc })
  if (watts('grid', 'house') > 0) return line('sentence.imports', { power: watts('grid', 'house') })
  return soc === null ? null : line('sentence.soc', { soc })
}

const charging = (power: number, at: number | null) =>
  at === null ? line('sentence.charges', { power }) : line('sentence.charges_until', { power, at })

/** The end of charging is predicted up to this far ahead, and only above this power in W. */
const MAX_PREDICTION_MS = 4 * 3_600_000
const MIN_CHARGE_WATTS = 300

type Charging = { soc: number | null; capacity: number | null; charge: number; now: number }

/** When the battery will be full at the current power; null when that cannot be predicted. */
export function fullAt({ soc, capacity, charge, now }: Charging): number | null {
  if (soc === null || capacity === null || charge < MIN_CHARGE_WATTS || soc >= 100) return null
  const missing = (capacity * (100 - soc)) / 100
  const duration = (missing / charge) * 3_600_000
  return duration > MAX_PREDICTION_MS ? null : now + duration
}

const line = (id: MessageId, values: Values = {}): Line => ({ id, values })
