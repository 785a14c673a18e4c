/** The sentence at the top: what is going on, in plain words. Pure, so that every case has a test. */
import { isRestarting, updateIn } from '@/components/in-force/model'
import type { MessageId } from '@/lib/i18n/locales'
import { flowsOf, type Source, sharesOfHouse } from './flow'
import { directionsOf, type Freshness, gridDeadBandOf, type Reading } from './reading'

/** Watts, a percentage or a moment: formatted where it is shown. */
type Values = { power?: number; other?: number; soc?: number; at?: number }
export type Line = { id: MessageId; values: Values }
export type Sentence = { headline: MessageId; detail: Line | null }

type Situation = {
  reading: Reading
  freshness: Freshness
  /** Usable Wh of what is shown, null when it is not known. */
  capacity: number | null
  /** New values are being asked for, and nothing has gone wrong yet. */
  updating: boolean
  /** On the server's clock. */
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

/** One battery of several may rest or fail while the others carry the house: then the labels tell, not the sentence. */
function notRunning({ reading: { status, flags, together, inForce, alarm } }: Situation): Sentence | null {
  const one = together === null
  const off = status === 'off' || (one && flags.aus)
  // The switch belongs to the update: what to do with it is said there.
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

/** Of several one may pause while the others work. */
const isPaused = ({ reading: { inForce, together }, now }: Situation) =>
  together === null && inForce.some(({ kind, until }) => kind === 'pause' && (until == null || until > now))

/** A source that carries less than this part of the house, or of what is charged, is not worth a word. */
const WORTH_A_WORD = 0.1

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
  const carriers = (['pv', 'battery', 'grid'] as Source[]).filter((source) => shares[source] > WORTH_A_WORD)
  return HEADLINES[carriers.join()] ?? 'sentence.quiet'
}

function detailOf({ reading, capacity, now }: Situation): Line | null {
  const { soc, status } = reading
  const flows = flowsOf(reading, gridDeadBandOf(reading))
  const watts = (from: string, to: string) =>
    flows.find((flow) => flow.from === from && flow.to === to)?.watts ?? 0
  const feedIn = watts('pv', 'grid') + watts('battery', 'grid')
  // Whole, although a trace of it may come from where it is not worth a line.
  const charge = directionsOf(reading).battery === 'negative' ? -(reading.battery ?? 0) : 0
  if (status === 'calibrating') return line('sentence.calibrating')
  const fromGrid = watts('grid', 'battery')
  if (fromGrid > WORTH_A_WORD * charge) {
    const alone = charge - fromGrid <= WORTH_A_WORD * charge
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

/** Further away nobody knows what the sun will do, and a trickle says nothing about an end. */
const FORESEEABLE = 4 * 3_600_000
const TRICKLE = 300

type Charging = { soc: number | null; capacity: number | null; charge: number; now: number }

/** When the battery is full if it goes on charging like this; null when that cannot be said honestly. */
export function fullAt({ soc, capacity, charge, now }: Charging): number | null {
  if (soc === null || capacity === null || charge < TRICKLE || soc >= 100) return null
  const missing = (capacity * (100 - soc)) / 100
  const duration = (missing / charge) * 3_600_000
  return duration > FORESEEABLE ? null : now + duration
}

const line = (id: MessageId, values: Values = {}): Line => ({ id, values })
