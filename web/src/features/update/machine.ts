/**
 * The update wizard as a state machine: `next` says what each event changes, and what has to be done besides.
 */
import type { UpdateStatus } from './data'
import { isListed, isUnderWay, type Phase, partsLeft, phaseOf } from './model'

/** An update that this browser awaits, or whose end it still shows. */
export type UpdateState = 'waiting' | 'started' | 'finished'

/** `begun`: the battery began before the update could be withdrawn. */
export type Announcement = 'interrupted' | 'part_finished' | 'finished' | 'begun'

export type Wizard = {
  /** The chosen system. */
  sn: string | null
  step: 0 | 1 | 2
  /** By system; those without an update are missing. */
  states: Readonly<Record<string, UpdateState>>
  /** Running updates that the person has left. */
  hidden: readonly string[]
  /** Why a waiting update will not begin: withdrawn, or expired. */
  cancelled: 'withdrawn' | 'expired' | null
  /** The notice about it survives a reload, but is shown only once. */
  cancelledSeen: boolean

  // Of this visit:
  /** What a dialog reports. */
  announced: Announcement | null
  /** Parts of the chosen system that were left at its last answer. */
  left: number | null
  /** The start was sent and not answered yet. */
  starting: boolean
  /** When a start was last answered: statuses from before are outdated. */
  startedAt: number
  /** The list of several updates was shown. It stays, even if one of them is left. */
  offered: boolean
  /** The address that was followed: its system, or null for the list. */
  followed: string | null | undefined
}

const VISIT = {
  announced: null,
  left: null,
  starting: false,
  startedAt: 0,
  offered: false,
  followed: undefined,
} as const

export const FRESH: Wizard = {
  sn: null,
  step: 0,
  states: {},
  hidden: [],
  cancelled: null,
  cancelledSeen: false,
  ...VISIT,
}

type StatusOf = { sn: string; status: UpdateStatus | undefined; error: Error | null }

/** What the page knows of all systems. */
export type Overview = {
  serials: readonly string[] | undefined
  /** The system in the address. */
  linked: string | null
  answers: readonly StatusOf[]
  /** Systems with an open update according to the live data; undefined before these have loaded. */
  jobs: readonly string[] | undefined
}

export type WizardEvent =
  /** The page opens; an earlier tab may have started an update. */
  | { type: 'open'; started: { sn: string; state: UpdateState } | null }
  | { type: 'close_tab' }
  | ({ type: 'overview' } & Overview)
  | { type: 'choose'; sn: string | null }
  | { type: 'go'; step: 0 | 1 }
  | { type: 'start'; sn: string }
  | { type: 'start_answered'; at: number }
  /** A status of the chosen system. */
  | { type: 'status'; sn: string; status: UpdateStatus; at: number }
  | { type: 'withdrawn'; sn: string }
  | { type: 'too_late_to_withdraw' }
  /** The update continues without being watched. */
  | { type: 'leave'; sn: string }
  /** The person has seen the end. */
  | { type: 'end'; sn: string }
  | { type: 'acknowledge' }

/** What has to be done besides: in local storage, in the address, and with loaded data. */
export type Effect =
  | { do: 'store'; sn: string; state: UpdateState | undefined }
  | { do: 'mark_interrupted'; sn: string }
  | { do: 'forget'; sn: string }
  | { do: 'clear_address' }
  | { do: 'reload_versions' }

type Outcome = [Wizard, Effect[]]

export function next(wizard: Wizard, event: WizardEvent): Outcome {
  switch (event.type) {
    case 'open':
      return [opened(wizard, event.started), []]
    case 'close_tab':
      return [wizard.cancelledSeen ? change(wizard, { cancelled: null }) : wizard, []]
    case 'overview':
      return withOverview(wizard, event)
    case 'choose':
      return [choose(wizard, event.sn), []]
    case 'go':
      return [change(wizard, { step: event.step }), []]
    case 'start':
      return [
        { ...withState(wizard, event.sn, 'waiting'), cancelled: null, starting: true },
        [{ do: 'store', sn: event.sn, state: 'waiting' }],
      ]
    case 'start_answered':
      return [change(wizard, { starting: false, startedAt: event.at }), []]
    case 'status':
      return isOutdated(wizard, event) ? [wizard, []] : answered(wizard, event.sn, event.status)
    case 'withdrawn':
      return [
        { ...hide(ended(wizard, event.sn), event.sn), cancelled: 'withdrawn', cancelledSeen: false },
        [{ do: 'forget', sn: event.sn }],
      ]
    case 'too_late_to_withdraw':
      return [change(wizard, { announced: 'begun' }), []]
    case 'leave':
      return [hide(ended(wizard, event.sn), event.sn), [{ do: 'forget', sn: event.sn }]]
    case 'end':
      return [ended(wizard, event.sn), [{ do: 'forget', sn: event.sn }]]
    case 'acknowledge':
      return [change(wizard, { announced: null }), []]
  }
}

/** The phase to show: an end that was not awaited here is history, an announced end stays until it is closed. */
export function phaseIn(
  wizard: Wizard,
  answer: { sn: string; status: UpdateStatus | undefined; at: number } | undefined,
): Phase {
  const known = (wizard.sn !== null && wizard.states[wizard.sn]) || 'empty'
  if (!answer?.status || isOutdated(wizard, answer)) return known
  const phase = phaseOf(answer.status)
  if (phase !== 'finished' && phase !== 'empty') return phase
  return known === 'finished' || (phase === 'finished' && known !== 'empty') ? 'finished' : 'empty'
}

const isOutdated = ({ sn, starting, startedAt }: Wizard, status: { sn: string; at: number }) =>
  status.sn !== sn || starting || status.at < startedAt

/** The same object if nothing changes, so that repeated events cause nothing. */
const change = (wizard: Wizard, changes: Partial<Wizard>): Wizard =>
  Object.entries(changes).every(([key, value]) => wizard[key as keyof Wizard] === value)
    ? wizard
    : { ...wizard, ...changes }

function withState(wizard: Wizard, sn: string, state: UpdateState | 'empty'): Wizard {
  const { [sn]: known, ...others } = wizard.states
  if ((known ?? 'empty') === state) return wizard
  return { ...wizard, states: state === 'empty' ? others : { ...others, [sn]: state } }
}

const hide = (wizard: Wizard, sn: string): Wizard => ({
  ...wizard,
  hidden: [...without(wizard.hidden, sn), sn],
})

const without = (serials: readonly string[], sn: string | null) =>
  serials.includes(sn ?? '') ? serials.filter((other) => other !== sn) : serials

/** The choice, the progress and the state of a system are cleared; what is known of others stays. */
const ended = (wizard: Wizard, sn: string): Wizard => ({
  ...withState(wizard, sn, 'empty'),
  sn: null,
  step: 0,
  cancelled: null,
  announced: null,
  left: null,
})

function opened(wizard: Wizard, started: { sn: string; state: UpdateState } | null): Wizard {
  const fresh = { ...FRESH, ...wizard, ...VISIT, cancelledSeen: wizard.cancelled !== null }
  if (!started || wizard.sn !== null) return fresh
  const { sn, state } = started
  return { ...fresh, sn, step: state === 'finished' ? 2 : 1, states: { [sn]: state } }
}

/** Choosing a system shows its update again, even if it was left. */
const choose = (wizard: Wizard, sn: string | null): Wizard =>
  change(wizard, {
    sn,
    step: 0,
    hidden: without(wizard.hidden, sn),
    cancelled: sn === null ? wizard.cancelled : null,
    left: null,
  })

/**
 * Chooses a system by itself: by link, by a running update, or because there is only one. Of several updates
 * the person chooses. A system that is gone, or has nothing to update any more, is chosen no longer.
 */
function withOverview(wizard: Wizard, overview: Overview): Outcome {
  const { serials, answers, jobs } = overview
  const underWay = answers.filter(({ status }) => status && isUnderWay(phaseOf(status)))
  const several = underWay.length > 1 || (jobs !== undefined && jobs.length > 1)
  const offered = several ? change(wizard, { offered: true }) : wizard
  const followed = follow(offered, overview, several)
  const { sn } = followed
  if (sn === null) {
    const suggested = suggestion(followed, overview, underWay)
    return [suggested === undefined ? followed : choose(followed, suggested), []]
  }
  if (serials !== undefined && !serials.includes(sn))
    return [ended(followed, sn), [{ do: 'forget', sn }, { do: 'clear_address' }]]
  const status = answers.find((answer) => answer.sn === sn)?.status
  const isIdle = !followed.states[sn] && status !== undefined && !isListed(status)
  return isIdle ? [choose(followed, null), [{ do: 'clear_address' }]] : [followed, []]
}

/** Each address is followed once. One without a system asks for the list, if there is something to choose. */
function follow(wizard: Wizard, { serials, linked, jobs }: Overview, several: boolean): Wizard {
  if (linked === wizard.followed) return wizard
  if (linked === null) {
    if (jobs === undefined) return wizard
    return change(several ? choose(wizard, null) : wizard, { followed: null })
  }
  if (!serials?.includes(linked)) return wizard
  return change(linked === wizard.sn ? wizard : choose(wizard, linked), { followed: linked })
}

function suggestion(
  { offered, hidden }: Wizard,
  { serials, answers }: Overview,
  underWay: readonly StatusOf[],
): string | undefined {
  const isShown = (sn: string | undefined) => sn !== undefined && !hidden.includes(sn)
  const settled = answers.every(({ status, error }) => status || error)
  const running = settled && !offered ? underWay[0]?.sn : undefined
  if (isShown(running)) return running
  const [only] = answers
  const alone = serials?.length === 1 && only?.status !== undefined && isListed(only.status)
  return alone && isShown(only.sn) ? only.sn : undefined
}

/** The server is always right. What this browser did not await is not announced: it may be of yesterday. */
function answered(wizard: Wizard, sn: string, status: UpdateStatus): Outcome {
  const known = wizard.states[sn] ?? 'empty'
  const awaited = isUnderWay(known)
  const left = partsLeft(status)
  const to = (
    state: UpdateState | 'empty',
    changes: Partial<Wizard> = {},
    effects: Effect[] = [],
  ): Outcome => [
    change(withState(wizard, sn, state), {
      left,
      ...(isUnderWay(state) && { step: 1 }),
      ...(state === 'finished' && { step: 2 }),
      ...changes,
    }),
    [{ do: 'store', sn, state: state === 'empty' ? undefined : state }, ...effects],
  ]
  const finished = () => to('finished', { announced: 'finished' }, [{ do: 'reload_versions' }])
  switch (phaseOf(status)) {
    case 'waiting':
      return to('waiting')
    case 'started': {
      const oneLess = awaited && wizard.left !== null && left < wizard.left && left > 0
      return oneLess
        ? to('started', { announced: 'part_finished' }, [{ do: 'reload_versions' }])
        : to('started')
    }
    case 'interrupted':
      return awaited
        ? to('empty', { announced: 'interrupted' }, [{ do: 'mark_interrupted', sn }])
        : to('empty')
    case 'cancelled': {
      const cancelled = status.state === 'expired' ? 'expired' : 'withdrawn'
      return awaited ? to('empty', { cancelled, cancelledSeen: false }) : to('empty')
    }
    case 'finished':
      return awaited ? finished() : to(known)
    case 'empty':
      // The server no longer knows the update; without a new version it must have finished.
      if (!awaited) return to(known)
      return status.new_update ? to('empty') : finished()
  }
}
