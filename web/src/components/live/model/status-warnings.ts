/** Why a system is not simply well although no alarm is open. */
import { type InForce, inForceOf, isRestarting, restrictionsOf } from '@/components/in-force/model'
import { type Label, labelsOf } from './messages'
import { freshnessOf, type Reading } from './reading'

export type StatusWarning =
  | { kind: 'offline' | 'stale' | 'off' | 'fault' }
  | { kind: 'flag'; flag: Label }
  /** One of several systems does not report. */
  | { kind: 'silent'; sn: string }
  | { kind: 'in_force'; one: InForce }

/** @param now server time */
export function statusWarningsOf(reading: Reading, now: number): StatusWarning[] {
  const freshness = freshnessOf(reading, now)
  const restrictions = restrictionsOf(inForceOf({ in_force: [...reading.inForce] }, now))
  const limits = restrictions.map((one): StatusWarning => ({ kind: 'in_force', one }))
  if (freshness === 'offline' && isRestarting(restrictions, reading.since ?? reading.at, now)) return limits
  // An offline system may have changed; its earlier warnings are unknown.
  if (freshness === 'offline' || freshness === 'never') return [{ kind: 'offline' }]
  if (freshness === 'stale') return [{ kind: 'stale' }]
  const flags = labelsOf(reading.flags).filter((flag) => flag !== 'sv')
  const faults = flags.map((flag): StatusWarning => ({ kind: 'flag', flag }))
  const fault: StatusWarning[] =
    reading.status === 'fault' && faults.length === 0 ? [{ kind: 'fault' }] : faults
  const off: StatusWarning[] = reading.flags.aus ? [{ kind: 'off' }] : []
  return [...missingSystems(reading, now), ...off, ...fault, ...limits]
}

/** Serial numbers of the systems that do not report, among all systems together. */
export const silentOf = ({ parts }: Reading, now: number): string[] =>
  parts.filter(({ reading }) => has('offline', statusWarningsOf(reading, now))).map(({ sn }) => sn)

/**
 * Warnings that the summed values of all systems do not show: missing systems, and faults of single systems.
 */
function missingSystems(reading: Reading, now: number): StatusWarning[] {
  const { together, parts } = reading
  if (together === null) return []
  if (parts.length === 0) return together.reporting < together.systems ? [{ kind: 'offline' }] : []
  const silent = silentOf(reading, now).map((sn): StatusWarning => ({ kind: 'silent', sn }))
  const faulty = parts.some((part) => has('fault', statusWarningsOf(part.reading, now)))
  return faulty ? [...silent, { kind: 'fault' }] : silent
}

const has = (kind: StatusWarning['kind'], warnings: readonly StatusWarning[]) =>
  warnings.some((one) => one.kind === kind)
