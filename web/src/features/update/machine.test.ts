import { describe, expect, it } from 'vitest'
import type { UpdateStatus } from './data'
import { type Effect, FRESH, next, type Overview, phaseIn, type Wizard, type WizardEvent } from './machine'
import { idleStatus, runningStatus, secondPart, updateStatus } from './testing'

const inState = (state: UpdateStatus['state'], special: Partial<UpdateStatus> = {}) =>
  updateStatus({ state, ...special })

/** The wizard after these events, and the effects of the last one. */
function run(events: readonly WizardEvent[], from: Partial<Wizard> = {}): [Wizard, Effect[]] {
  return events.reduce<[Wizard, Effect[]]>(
    ([wizard], event) => next(wizard, event),
    [{ ...FRESH, ...from }, []],
  )
}

const says = (status: UpdateStatus, at = 1): WizardEvent => ({ type: 'status', sn: 'A', status, at })
const chosen = { sn: 'A' } as const
const awaiting = (state: 'waiting' | 'started' | 'finished', left: number | null = null) =>
  ({ sn: 'A', step: state === 'finished' ? 2 : 1, states: { A: state }, left }) as const

const store = (state: 'waiting' | 'started' | 'finished' | undefined): Effect => ({
  do: 'store',
  sn: 'A',
  state,
})
const forget: Effect = { do: 'forget', sn: 'A' }

describe('a status', () => {
  it.each<[string, Partial<Wizard>, UpdateStatus, Partial<Wizard>, Effect[]]>([
    [
      'of an update that waits is followed',
      chosen,
      inState('waiting'),
      { step: 1, states: { A: 'waiting' } },
      [store('waiting')],
    ],
    [
      'of a running one, too',
      chosen,
      runningStatus(),
      { step: 1, states: { A: 'started' } },
      [store('started')],
    ],
    [
      'says that it began',
      awaiting('waiting'),
      runningStatus(),
      { step: 1, states: { A: 'started' } },
      [store('started')],
    ],
    [
      'announces an interruption before the start',
      awaiting('waiting'),
      inState('interrupted', { page: -1 }),
      { step: 1, states: {}, announced: 'interrupted' },
      [store(undefined), { do: 'mark_interrupted', sn: 'A' }],
    ],
    [
      'announces an interruption',
      awaiting('started'),
      inState('interrupted', { page: -1 }),
      { step: 1, states: {}, announced: 'interrupted' },
      [store(undefined), { do: 'mark_interrupted', sn: 'A' }],
    ],
    [
      'announces a failure in the same way',
      awaiting('started'),
      inState('failed', { page: -1 }),
      { states: {}, announced: 'interrupted' },
      [store(undefined), { do: 'mark_interrupted', sn: 'A' }],
    ],
    [
      'announces the end',
      awaiting('started'),
      idleStatus({ state: 'done' }),
      { step: 2, states: { A: 'finished' }, announced: 'finished' },
      [store('finished'), { do: 'reload_versions' }],
    ],
    [
      'announces the end of one that the server has forgotten',
      awaiting('started'),
      idleStatus(),
      { step: 2, states: { A: 'finished' }, announced: 'finished' },
      [store('finished'), { do: 'reload_versions' }],
    ],
    [
      'knows nothing of a start that failed',
      awaiting('waiting'),
      updateStatus(),
      { states: {}, announced: null },
      [store(undefined)],
    ],
    [
      'tells of a withdrawal elsewhere',
      awaiting('waiting'),
      inState('cancelled'),
      { states: {}, cancelled: 'withdrawn' },
      [store(undefined)],
    ],
    [
      'tells that it expired',
      awaiting('waiting'),
      inState('expired'),
      { states: {}, cancelled: 'expired' },
      [store(undefined)],
    ],
    [
      'keeps a finished one on screen',
      awaiting('finished'),
      idleStatus({ state: 'done' }),
      { step: 2, announced: null },
      [store('finished')],
    ],
    [
      'keeps it although there is another',
      awaiting('finished'),
      updateStatus(),
      { step: 2, states: { A: 'finished' } },
      [store('finished')],
    ],
    [
      'shows again what goes on after an interruption',
      { ...chosen, step: 1 },
      runningStatus(),
      { states: { A: 'started' } },
      [store('started')],
    ],
  ])('%s', (_name, from, status, expected, effects) => {
    const [wizard, done] = run([says(status)], from)
    expect(wizard).toMatchObject(expected)
    expect(wizard.states).toEqual(expected.states ?? from.states)
    expect(done).toEqual(effects)
  })

  it.each(['done', 'interrupted', 'failed', 'cancelled', 'expired'] as const)(
    'of an update that is %s announces nothing unless this browser awaited it',
    (state) => {
      expect(run([says(inState(state))], chosen)).toEqual([
        { ...FRESH, ...chosen, left: 2 },
        [store(undefined)],
      ])
    },
  )

  it.each<[string, number | null, UpdateStatus, boolean]>([
    ['the first of two is done', 2, runningStatus({ page: 100 }), true],
    ['the second has begun', 2, secondPart(), true],
    ['that was said before', 1, secondPart(), false],
    ['the last one is done', 1, secondPart({ page: 100 }), false],
    ['nothing was known before', null, secondPart(), false],
  ])('announces a part if another one follows: %s', (_name, left, status, announced) => {
    const [wizard, effects] = run([says(status)], awaiting('started', left))
    expect(wizard.announced).toBe(announced ? 'part_finished' : null)
    expect(effects).toEqual([store('started'), ...(announced ? [{ do: 'reload_versions' }] : [])])
  })

  it('that repeats itself changes nothing', () => {
    const [wizard] = run([says(runningStatus())], chosen)
    expect(next(wizard, says(runningStatus()))[0]).toBe(wizard)
  })

  it('from before the start, or while it is sent, is not believed', () => {
    const [sending] = run([{ type: 'start', sn: 'A' }, says(updateStatus(), 1)], { ...chosen, step: 1 })
    expect(sending.states).toEqual({ A: 'waiting' })
    const [sent, effects] = run([{ type: 'start_answered', at: 5 }, says(updateStatus(), 4)], sending)
    expect([sent.states, effects]).toEqual([{ A: 'waiting' }, []])
    expect(phaseIn(sent, { sn: 'A', status: updateStatus(), at: 4 })).toBe('waiting')
    expect(run([says(updateStatus(), 5)], sent)[0].states).toEqual({})
  })

  it('of another system is not believed', () => {
    const wizard = { ...FRESH, sn: 'B' }
    expect(next(wizard, says(runningStatus()))).toEqual([wizard, []])
  })
})

describe('the person', () => {
  it.each<[string, WizardEvent, Partial<Wizard>, Partial<Wizard>, Effect[]]>([
    [
      'chooses a system',
      { type: 'choose', sn: 'A' },
      { cancelled: 'expired' },
      { sn: 'A', step: 0, cancelled: null },
      [],
    ],
    ['chooses one that was left', { type: 'choose', sn: 'A' }, { hidden: ['B', 'A'] }, { hidden: ['B'] }, []],
    ['goes on', { type: 'go', step: 1 }, chosen, { step: 1 }, []],
    ['goes back', { type: 'go', step: 0 }, { ...chosen, step: 1 }, { sn: 'A', step: 0 }, []],
    [
      'starts',
      { type: 'start', sn: 'A' },
      { ...chosen, step: 1, cancelled: 'withdrawn' },
      { step: 1, states: { A: 'waiting' }, cancelled: null, starting: true },
      [store('waiting')],
    ],
    [
      'withdraws',
      { type: 'withdrawn', sn: 'A' },
      awaiting('waiting'),
      { sn: null, step: 0, states: {}, hidden: ['A'], cancelled: 'withdrawn' },
      [forget],
    ],
    [
      'withdraws too late',
      { type: 'too_late_to_withdraw' },
      awaiting('waiting'),
      { ...awaiting('waiting'), announced: 'begun' },
      [],
    ],
    [
      'leaves',
      { type: 'leave', sn: 'A' },
      { ...awaiting('started'), hidden: ['A', 'B'] },
      { sn: null, step: 0, states: {}, hidden: ['B', 'A'], cancelled: null },
      [forget],
    ],
    [
      'has seen the end',
      { type: 'end', sn: 'A' },
      { ...awaiting('finished'), states: { A: 'finished', B: 'started' } },
      { sn: null, step: 0, states: { B: 'started' }, hidden: [] },
      [forget],
    ],
    ['closes an announcement', { type: 'acknowledge' }, { announced: 'finished' }, { announced: null }, []],
  ])('%s', (_name, event, from, expected, effects) => {
    const [wizard, done] = run([event], from)
    expect(wizard).toMatchObject(expected)
    expect(wizard.states).toEqual(expected.states ?? from.states ?? {})
    expect(done).toEqual(effects)
  })
})

describe('the page', () => {
  const opened = (state: 'started' | 'finished'): WizardEvent => ({
    type: 'open',
    started: { sn: 'A', state },
  })

  it('opens with what an earlier tab has started', () => {
    expect(run([opened('started')])[0]).toMatchObject({ sn: 'A', step: 1, states: { A: 'started' } })
    expect(run([opened('finished')])[0]).toMatchObject({ sn: 'A', step: 2, states: { A: 'finished' } })
  })

  it('keeps the choice of this tab', () => {
    expect(run([opened('started')], { sn: 'B' })[0]).toMatchObject({ sn: 'B', states: {} })
  })

  it('forgets what belongs to one visit, and what an older version did not store', () => {
    const old = { sn: 'A', step: 1, states: { A: 'waiting' }, hidden: [], cancelled: null } as const
    const [wizard] = next(old as unknown as Wizard, { type: 'open', started: null })
    expect(wizard).toEqual({ ...FRESH, ...old })
    expect(
      run([{ type: 'open', started: null }], { starting: true, followed: 'A', announced: 'finished' })[0],
    ).toEqual(FRESH)
  })

  it('shows the notice of a withdrawn update after the reload, and then no more', () => {
    const open: WizardEvent = { type: 'open', started: null }
    const close: WizardEvent = { type: 'close_tab' }
    const events: WizardEvent[] = [open, { type: 'withdrawn', sn: 'A' }, close, open]
    expect(run(events)[0].cancelled).toBe('withdrawn')
    expect(run([...events, close])[0].cancelled).toBeNull()
  })
})

describe('the choice by itself', () => {
  const seen = (special: Partial<Overview>): WizardEvent => ({
    type: 'overview',
    serials: ['A', 'B'],
    linked: null,
    answers: [],
    jobs: [],
    ...special,
  })
  const answersOf = (statuses: Record<string, UpdateStatus | undefined>) =>
    Object.entries(statuses).map(([sn, status]) => ({ sn, status, error: null }))
  const unlink: Effect = { do: 'clear_address' }

  it.each<[string, Partial<Wizard>, Partial<Overview>, string | null, Effect[]]>([
    ['is the system of a link', {}, { linked: 'B' }, 'B', []],
    ['is not a foreign system of a link', {}, { linked: 'X' }, null, []],
    ['follows each link once', { followed: 'B' }, { linked: 'B' }, null, []],
    ['is a running update', {}, { answers: answersOf({ A: updateStatus(), B: runningStatus() }) }, 'B', []],
    ['is not one that was left', { hidden: ['B'] }, { answers: answersOf({ B: runningStatus() }) }, null, []],
    ['waits for all answers', {}, { answers: answersOf({ A: undefined, B: runningStatus() }) }, null, []],
    [
      'is nothing if several run',
      {},
      { answers: answersOf({ A: runningStatus(), B: runningStatus() }) },
      null,
      [],
    ],
    [
      'is nothing once the list was shown',
      { offered: true },
      { answers: answersOf({ B: runningStatus() }) },
      null,
      [],
    ],
    ['is the only system', {}, { serials: ['A'], answers: answersOf({ A: updateStatus() }) }, 'A', []],
    [
      'is not the only system without an update',
      {},
      { serials: ['A'], answers: answersOf({ A: idleStatus() }) },
      null,
      [],
    ],
    ['makes room for the list of several', awaiting('started'), { jobs: ['A', 'B'] }, null, []],
    ['waits for the live data before', awaiting('started'), { jobs: undefined }, 'A', []],
    ['ends with the system', awaiting('started'), { serials: ['B'] }, null, [forget, unlink]],
    [
      'ends if there is nothing to update',
      { ...chosen, step: 1 },
      { answers: answersOf({ A: idleStatus() }) },
      null,
      [unlink],
    ],
    [
      'stays with an update that this browser awaits',
      awaiting('started'),
      { answers: answersOf({ A: idleStatus() }) },
      'A',
      [],
    ],
  ])('%s', (_name, from, overview, sn, effects) => {
    const [wizard, done] = run([seen(overview)], from)
    expect(wizard.sn).toBe(sn)
    expect(done).toEqual(effects)
    expect(next(wizard, seen(overview))).toEqual([wizard, []])
  })

  it('returns to the list when its address is opened again', () => {
    const several = { jobs: ['A', 'B'] }
    const [wizard] = run([seen({ ...several, linked: 'B' })])
    expect(wizard.sn).toBe('B')
    expect(run([seen(several)], wizard)[0].sn).toBeNull()
  })
})
