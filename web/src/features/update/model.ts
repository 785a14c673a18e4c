/** How an update fares, as the wizard sees it (specification 4). The words of the wire end here. */
import { updateIn } from '@/components/in-force/model'
import {
  UPDATE_HINT,
  UPDATE_POLL,
  UPDATE_POLL_FIRST,
  UPDATE_POLL_FIRST_TIMES,
  UPDATE_PROGRESS,
} from '@/lib/constants'
import type { LiveEntry } from '@/lib/live/live'
import type { UpdateState } from '@/lib/session/session-store'
import type { JobState, PartUpdate, UpdateStatus } from './api'

/** What the server says of a system's update. */
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
  // Before its first part it can still be withdrawn, between two parts no longer.
  if (state === 'waits_for_switch') return update_started ? 'started' : 'waiting'
  return PHASES[state]
}

/** The battery has it, or will have it. */
export const isUnderWay = (phase: Phase | UpdateState) => phase === 'waiting' || phase === 'started'

/** There is something to do for the system: a new version, or an update that is not over. */
export const isListed = (status: UpdateStatus) =>
  status.new_update || isUnderWay(phaseOf(status)) || status.state === 'interrupted'

/** Milliseconds to the next question. Quick at first, while somebody waits for the list; then calm. */
export const pollAfter = (attempts: number, chosen: boolean) =>
  !chosen && attempts < UPDATE_POLL_FIRST_TIMES ? UPDATE_POLL_FIRST : UPDATE_POLL

/** More systems than this are not asked about one by one. */
const ASKED_AT_MOST = 10

type Question = {
  serials: readonly string[]
  chosen: string | null
  /** Nobody can choose another one at this step. */
  alone: boolean
  /** Systems for which the live data say that there is something. */
  hinted: readonly string[]
}

/** Whom the wizard asks about: every system of the list, or only the one that was chosen from it. */
export function askedOf({ serials, chosen, alone, hinted }: Question): readonly string[] {
  if (alone && chosen !== null) return [chosen]
  if (serials.length <= ASKED_AT_MOST) return serials
  return serials.filter((sn) => sn === chosen || hinted.includes(sn))
}

/** Systems whose update is not over, by the live data; one that only wants the main switch on again is. */
export const jobsOf = (
  serials: readonly string[],
  entries: Readonly<Record<string, Partial<Pick<LiveEntry, 'in_force'>>>>,
): string[] =>
  serials.filter((sn) => {
    const update = updateIn(entries[sn]?.in_force ?? [])
    return update !== undefined && update.switch !== 'on'
  })

/** Percent as drawn: within its range, and never quite nothing once it runs. */
export const shownProgress = ({ page }: Pick<UpdateStatus, 'page'>) =>
  Math.min(UPDATE_PROGRESS.MAX, Math.max(UPDATE_PROGRESS.SHOWN_AT_START, page))

const isDone = ({ page }: UpdateStatus) => page > UPDATE_PROGRESS.DONE_ABOVE

/** Parts that have not arrived yet, by the server's count; one above 99 percent has. */
export const partsLeft = (status: UpdateStatus) => status.total_updates - (isDone(status) ? 1 : 0)

/** `begun`: it was to be withdrawn, but the battery was faster. */
export type News = 'interrupted' | 'part_finished' | 'finished' | 'cancelled' | 'begun'
type Known = {
  state: UpdateState | 'empty'
  /** Parts left at the last answer, null before the first. */
  left: number | null
}
type Turn = { state: UpdateState | 'empty'; news: News | null }

const stay = (state: Turn['state']): Turn => ({ state, news: null })

/**
 * What an answer makes of what this browser knew. The server is always right; news is only what somebody here waited
 * for, so that an update of yesterday is not announced today.
 */
export function turnOf({ state, left }: Known, status: UpdateStatus): Turn {
  const awaited = state !== 'empty' && isUnderWay(state)
  switch (phaseOf(status)) {
    case 'waiting':
      return stay('waiting')
    case 'started': {
      const now = partsLeft(status)
      const oneLess = awaited && left !== null && now < left && now > 0
      return { state: 'started', news: oneLess ? 'part_finished' : null }
    }
    case 'interrupted':
      return { state: 'empty', news: awaited ? 'interrupted' : null }
    case 'cancelled':
      return { state: 'empty', news: awaited ? 'cancelled' : null }
    case 'finished':
      return awaited ? { state: 'finished', news: 'finished' } : stay(state)
    case 'empty':
      // The server has forgotten it. With nothing new on offer it must have come to its end.
      if (!awaited) return stay(state)
      return status.new_update ? stay('empty') : { state: 'finished', news: 'finished' }
  }
}

/** The part that is worked on, or is next, with its place among all of them. */
export function presentPart({ updates, type }: UpdateStatus): { part: PartUpdate; number: number } | null {
  const place = updates.findIndex((part) => part.type === type)
  const part = updates[place]
  return part ? { part, number: place + 1 } : null
}

/**
 * The battery could begin and has said nothing for so long that its connection may be broken.
 * @param now on the server's clock
 */
export function isOverdue(status: UpdateStatus, now: number): boolean {
  const { started_at, heard_at } = status
  if (status.state !== 'waiting' || started_at === null) return false
  return now - Math.max(started_at, heard_at ?? 0) > UPDATE_HINT.WAIT_MINUTES * 60_000
}

export type CheckLine = { check: 'reachable' | 'soc' | 'switch' | 'running'; tone: 'ok' | 'warn' | 'danger' }

/**
 * What to look at before the start. Only a battery that cannot be reached stands in its way. After an interruption it
 * has to be switched on, so that nobody is told to switch it off.
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

type Standing = { sn: string | null; step: number; phase: Phase }

/** Which buttons can be pressed (specification 2). */
export const mayGoOn = ({ sn, step, phase }: Standing) => sn !== null && step !== 1 && !isUnderWay(phase)

export const mayStart = (phase: Phase, status: UpdateStatus | undefined) =>
  !isUnderWay(phase) && status?.checks.reachable === true

/** The system of a link. A serial number of digits alone comes out of the address bar as a number. */
export const linkedSystem = ({ sn }: { sn?: unknown }): string | null =>
  typeof sn === 'string' || typeof sn === 'number' ? String(sn) : null
