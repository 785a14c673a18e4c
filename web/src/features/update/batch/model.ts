/** Updates of several systems: which can be started, why others cannot, and each result. */
import type { UpdateStatus } from '../data'
import { isUnderWay, phaseOf } from '../model'

/** A system, as the fleet knows it. */
export type Candidate = {
  sn: string
  customer: string
  /** Systems of one owner have the same number. Null: no owner. */
  household: number | null
  /** The grant's scope is service. */
  service: boolean
  online: boolean
  updatable: boolean
  updating: boolean
}

/**
 * State before the start. `asking`: the update service has not answered yet. `unknown`: its answer failed.
 */
export type StartState = 'asking' | 'unknown' | 'ready' | 'none' | 'running' | 'unreachable' | 'no_service'

/** State after the start, with the server's error. */
export type StartOutcome = { state: 'starting' | 'started' } | { state: 'failed'; error: unknown }
export type StartOutcomes = Readonly<Record<string, StartOutcome>>

type StatusAnswer = { status: UpdateStatus | undefined; error: unknown }

/** The status is only requested where nothing else prevents the start. */
export function needsStatus({ service, online, updatable, updating }: Candidate): boolean {
  return service && online && updatable && !updating
}

export function startStateOf(candidate: Candidate, { status, error }: StatusAnswer): StartState {
  if (!candidate.service) return 'no_service'
  if (candidate.updating) return 'running'
  // The versions of an offline system are unknown.
  if (!candidate.online) return 'unreachable'
  if (!candidate.updatable) return 'none'
  if (!status) return error ? 'unknown' : 'asking'
  if (isUnderWay(phaseOf(status))) return 'running'
  if (!status.new_update) return 'none'
  return status.checks.reachable ? 'ready' : 'unreachable'
}

export function countsOf(outcomes: StartOutcomes) {
  const all = Object.values(outcomes)
  const of = (state: StartOutcome['state']) => all.filter((outcome) => outcome.state === state).length
  return { starting: of('starting'), started: of('started'), failed: of('failed') }
}

/** Runs `work` for every item, with at most `atOnce` at the same time. */
export async function runConcurrently<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
) {
  const waiting = [...items]
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

/**
 * Groups systems by owner: each owner gets one start and one mail. Unowned systems are groups of their own.
 */
export function byHousehold(serials: readonly string[], candidates: readonly Candidate[]): string[][] {
  const groups = new Map<unknown, string[]>()
  for (const sn of serials) {
    const key = candidates.find((candidate) => candidate.sn === sn)?.household ?? sn
    groups.set(key, [...(groups.get(key) ?? []), sn])
  }
  return [...groups.values()]
}

/**
 * Starts a household's updates with one order, so that the owner gets one mail. If one cannot start, the
 * order starts none; then each is started by itself.
 */
export async function startTogether(
  serials: readonly string[],
  start: (serials: string) => Promise<unknown>,
  mark: (sn: string, outcome: StartOutcome) => void,
): Promise<void> {
  const markAll = (outcome: StartOutcome) => {
    for (const sn of serials) mark(sn, outcome)
  }
  markAll({ state: 'starting' })
  try {
    await start(serials.join())
    markAll({ state: 'started' })
  } catch (error) {
    if (serials.length === 1) return markAll({ state: 'failed', error })
    for (const sn of serials) await startTogether([sn], start, mark)
  }
}
