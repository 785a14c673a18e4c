/** Why a system is not simply well, although there may be no alarm yet. */
import { type InForce, inForceOf, isRestarting, restrictionsOf } from '@/components/in-force/model'
import { type Label, labelsOf } from './messages'
import { freshnessOf, type Reading } from './reading'

export type Concern =
  | { kind: 'offline' | 'stale' | 'off' | 'fault' }
  | { kind: 'flag'; flag: Label }
  /** One of several does not report. */
  | { kind: 'silent'; sn: string }
  | { kind: 'in_force'; one: InForce }

/** @param now on the server's clock */
export function concernsOf(reading: Reading, now: number): Concern[] {
  const freshness = freshnessOf(reading, now)
  const restrictions = restrictionsOf(inForceOf({ in_force: [...reading.inForce] }, now))
  const limits = restrictions.map((one): Concern => ({ kind: 'in_force', one }))
  if (freshness === 'offline' && isRestarting(restrictions, reading.since ?? reading.at, now)) return limits
  // What was wrong before it fell silent, nobody knows any more.
  if (freshness === 'offline' || freshness === 'never') return [{ kind: 'offline' }]
  if (freshness === 'stale') return [{ kind: 'stale' }]
  const flags = labelsOf(reading.flags).filter((flag) => flag !== 'sv')
  const faults = flags.map((flag): Concern => ({ kind: 'flag', flag }))
  const fault: Concern[] = reading.status === 'fault' && faults.length === 0 ? [{ kind: 'fault' }] : faults
  const off: Concern[] = reading.flags.aus ? [{ kind: 'off' }] : []
  return [...missing(reading, now), ...off, ...fault, ...limits]
}

/** Serial numbers of those that do not report, of all systems together. */
export const silentOf = ({ parts }: Reading, now: number): string[] =>
  parts.filter(({ reading }) => has('offline', concernsOf(reading, now))).map(({ sn }) => sn)

/** What the values of all systems together do not tell: who is not among them, and whose status is not everybody's. */
function missing(reading: Reading, now: number): Concern[] {
  const { together, parts } = reading
  if (together === null) return []
  if (parts.length === 0) return together.reporting < together.systems ? [{ kind: 'offline' }] : []
  const silent = silentOf(reading, now).map((sn): Concern => ({ kind: 'silent', sn }))
  const faulty = parts.some((part) => has('fault', concernsOf(part.reading, now)))
  return faulty ? [...silent, { kind: 'fault' }] : silent
}

const has = (kind: Concern['kind'], concerns: readonly Concern[]) => concerns.some((one) => one.kind === kind)
