/** New firmware for several systems: where it can be started, where not and why, and how it ended at each. */
import type { UpdateStatus } from '../api'
import { isUnderWay, phaseOf } from '../model'

/** What the fleet knows of a system. */
export type Candidate = {
  sn: string
  customer: string
  /** The same number: systems of one owner. Null: nobody owns it. */
  household: number | null
  /** The owner lets the electrician service it. */
  service: boolean
  online: boolean
  updatable: boolean
  updating: boolean
}

/** Before the start; `asking` until the update service has answered, `unknown` when it did not. */
export type Standing = 'asking' | 'unknown' | 'ready' | 'none' | 'running' | 'unreachable' | 'no_service'

/** After it, with the server's reason. */
export type Outcome = { state: 'starting' | 'started' } | { state: 'failed'; error: unknown }
export type Outcomes = Readonly<Record<string, Outcome>>

type Asked = { status: UpdateStatus | undefined; error: unknown }

/** What stands against it by itself needs no question. */
export function isAsked({ service, online, updatable, updating }: Candidate): boolean {
  return service && online && updatable && !updating
}

export function standingOf(candidate: Candidate, { status, error }: Asked): Standing {
  if (!candidate.service) return 'no_service'
  if (candidate.updating) return 'running'
  // Of one that was never heard nobody knows what it has.
  if (!candidate.online) return 'unreachable'
  if (!candidate.updatable) return 'none'
  if (!status) return error ? 'unknown' : 'asking'
  if (isUnderWay(phaseOf(status))) return 'running'
  if (!status.new_update) return 'none'
  return status.checks.reachable ? 'ready' : 'unreachable'
}

export function countsOf(outcomes: Outcomes) {
  const all = Object.values(outcomes)
  const of = (state: Outcome['state']) => all.filter((outcome) => outcome.state === state).length
  return { starting: of('starting'), started: of('started'), failed: of('failed') }
}

/** A few at a time: the others wait until one of them is done. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const waiting = [...items]
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

/** The systems of one owner start together, with one mail; those that nobody owns each for itself. */
export function byHousehold(serials: readonly string[], candidates: readonly Candidate[]): string[][] {
  const groups = new Map<unknown, string[]>()
  for (const sn of serials) {
    const key = candidates.find((candidate) => candidate.sn === sn)?.household ?? sn
    groups.set(key, [...(groups.get(key) ?? []), sn])
  }
  return [...groups.values()]
}

/**
 * Starts the updates of one household with one order, so that its owner gets one mail. Where one of them cannot start, the order
 * starts none: then each begins by itself, and the one does not stop the others.
 */
export async function startTogether(
  serials: readonly string[],
  start: (serials: string) => Promise<unknown>,
  mark: (sn: string, outcome: Outcome) => void,
): Promise<void> {
  const markAll = (outcome: Outcome) => {
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
