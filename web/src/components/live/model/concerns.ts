/** Why a system is not simply well, although there may be no alarm yet. */
import { type InForce, inForceOf, restrictionsOf } from '@/components/in-force/model'
import { type Label, labelsOf } from './messages'
import { freshnessOf, type Reading } from './reading'

export type Concern =
  | { kind: 'offline' | 'stale' | 'off' | 'fault' }
  | { kind: 'flag'; flag: Label }
  | { kind: 'in_force'; one: InForce }

/** @param now on the server's clock */
export function concernsOf(reading: Reading, now: number): Concern[] {
  const freshness = freshnessOf(reading, now)
  // What was wrong before it fell silent, nobody knows any more.
  if (freshness === 'offline' || freshness === 'never') return [{ kind: 'offline' }]
  if (freshness === 'stale') return [{ kind: 'stale' }]
  const held = restrictionsOf(inForceOf({ in_force: [...reading.inForce] }, now))
  const limits = held.map((one): Concern => ({ kind: 'in_force', one }))
  // Switched off the relay is open, which is no fault.
  if (reading.flags.aus) return [{ kind: 'off' }, ...limits]
  const flags = labelsOf(reading.flags).filter((flag) => flag !== 'sv')
  const faults = flags.map((flag): Concern => ({ kind: 'flag', flag }))
  const fault: Concern[] = reading.status === 'fault' && faults.length === 0 ? [{ kind: 'fault' }] : faults
  return [...fault, ...limits]
}
