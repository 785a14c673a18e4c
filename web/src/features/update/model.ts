/** The update wizard's rules (specification 4). Translates the API's states. */
import { updateIn } from '@/components/in-force/model'
import {
  UPDATE_HINT,
  UPDATE_POLL,
  UPDATE_POLL_FIRST,
  UPDATE_POLL_FIRST_TIMES,
  UPDATE_PROGRESS,
} from '@/lib/constants'
import type { LiveEntry } from '@/lib/live/live'
import type { JobState, PartUpdate, UpdateStatus } from './data'

/** The phase of a system's update. */
export type Phase = 'empty' | 'waiting' | 'started' | 'interrupted' | 'finished' | 'cancelled'

const PHASES = {
  waiting: 'waiting',
  running: 'started',
  interrupted: 'interrupted',
  failed: 'interrupted',
  done: 'finished',
  cancelled: 'cancelled',
  expired: 'cancelled',
} as const satisfies Record<Exclude<JobState, 'waits_for_switch'>, Phase>

export function phaseOf({ state, page, update_started }: UpdateStatus): Phase {
  if (page === UPDATE_PROGRESS.FAILED) return 'interrupted'
  if (state === null) return 'empty'
  // An update can be withdrawn before its first part, but not between two parts.
  if (state === 'waits_for_switch') return update_started ? 'started' : 'waiting'
  return PHASES[state]
}

/** The battery has the update, or will get it. */
export const isUnderWay = (phase: Phase) => phase === 'waiting' || phase === 'started'

/** The system has a new version, or an update that is not over. */
export const isListed = (status: UpdateStatus) =>
  status.new_update || isUnderWay(phaseOf(status)) || status.state === 'interrupted'

/** The polling interval in ms: short at first while the list loads, then long. */
export const pollAfter = (attempts: number, chosen: boolean) =>
  !chosen && attempts < UPDATE_POLL_FIRST_TIMES ? UPDATE_POLL_FIRST : UPDATE_POLL

/** The maximum number of systems that are polled one by one. */
const MAX_POLLED = 10

type PollChoice = {
  serials: readonly string[]
  chosen: string | null
  /** No other system can be chosen in this step. */
  alone: boolean
  /** Systems with an update according to the live data. */
  hinted: readonly string[]
}

/** Systems to poll: the whole list, or only the chosen one. */
export function polledSystems({ serials, chosen, alone, hinted }: PollChoice): readonly string[] {
  if (alone && chosen !== null) return [chosen]
  if (serials.length <= MAX_POLLED) return serials
  return serials.filter((sn) => sn === chosen || hinted.includes(sn))
}

/**
 * Systems with an open update according to the live data. One that only has to be switched on again counts as
 * done.
 */
export const openUpdates = (
  serials: readonly string[],
  entries: Readonly<Record<string, Partial<Pick<LiveEntry, 'in_force'>>>>,
): string[] =>
  serials.filter((sn) => {
    const update = updateIn(entries[sn]?.in_force ?? [])
    return update !== undefined && update.switch !== 'on'
  })

/** Progress as drawn: within range, and never zero once it runs. */
export const shownProgress = ({ page }: Pick<UpdateStatus, 'page'>) =>
  Math.min(UPDATE_PROGRESS.MAX, Math.max(UPDATE_PROGRESS.SHOWN_AT_START, page))

const isDone = ({ page }: UpdateStatus) => page > UPDATE_PROGRESS.DONE_ABOVE

/** The number of parts that are not done yet, by the server's count; above 99 percent a part is done. */
export const partsLeft = (status: UpdateStatus) => status.total_updates - (isDone(status) ? 1 : 0)

/** The current or next part, and its number. */
export function currentPart({ updates, type }: UpdateStatus): { part: PartUpdate; number: number } | null {
  const place = updates.findIndex((part) => part.type === type)
  const part = updates[place]
  return part ? { part, number: place + 1 } : null
}

/**
 * The battery could begin but has been silent for so long that its connection may be lost. @param now server
 * time
 */
export function isOverdue(status: UpdateStatus, now: number): boolean {
  const { started_at, heard_at } = status
  if (status.state !== 'waiting' || started_at === null) return false
  return now - Math.max(started_at, heard_at ?? 0) > UPDATE_HINT.WAIT_MINUTES * 60_000
}

export type CheckLine = { check: 'reachable' | 'soc' | 'switch' | 'running'; tone: 'ok' | 'warn' | 'danger' }

/**
 * The checks before the start. Only an unreachable battery blocks it. After an interruption the battery has
 * to be on, so it is not asked to be switched off.
 */
export function checkLines(status: UpdateStatus): CheckLine[] {
  const { reachable, soc, soc_enough, needs_off, switched_off } = status.checks
  const lines: CheckLine[] = [
    { check: 'reachable', tone: reachable ? 'ok' : 'danger' },
    { check: 'soc', tone: soc !== null && soc_enough ? 'ok' : 'warn' },
  ]
  if (phaseOf(status) === 'interrupted') return lines
  if (!needs_off) return [...lines, { check: 'running', tone: 'ok' }]
  return [...lines, { check: 'switch', tone: switched_off ? 'ok' : 'warn' }]
}

type WizardState = { sn: string | null; step: number; phase: Phase }

/** Which buttons are enabled (specification 2). */
export const canContinue = ({ sn, step, phase }: WizardState) =>
  sn !== null && step !== 1 && !isUnderWay(phase)

export const canStart = (phase: Phase, status: UpdateStatus | undefined) =>
  !isUnderWay(phase) && status?.checks.reachable === true

/** The system of a link. The router parses a serial number of digits only as a number. */
export const linkedSystem = ({ sn }: { sn?: unknown }): string | null =>
  typeof sn === 'string' || typeof sn === 'number' ? String(sn) : null
