import { describe, expect, it } from 'vitest'
import type { UpdateStatus } from './data'
import {
  canContinue,
  canStart,
  checkLines,
  currentPart,
  isListed,
  isOverdue,
  linkedSystem,
  type Phase,
  partsLeft,
  phaseOf,
  pollAfter,
  polledSystems,
  shownProgress,
} from './model'
import { idleStatus, runningStatus, secondPart, updateStatus } from './testing'

const inState = (state: UpdateStatus['state'], special: Partial<UpdateStatus> = {}) =>
  updateStatus({ state, ...special })

describe('the phase of an update', () => {
  it.each([
    [null, 'empty'],
    ['waiting', 'waiting'],
    ['running', 'started'],
    ['interrupted', 'interrupted'],
    ['failed', 'interrupted'],
    ['done', 'finished'],
    ['cancelled', 'cancelled'],
    ['expired', 'cancelled'],
    ['waits_for_switch', 'waiting'],
  ] as const)('is, when the server says %s, %s', (state, phase) => {
    expect(phaseOf(inState(state))).toBe(phase)
  })

  it('can be withdrawn while it waits for the main switch before its first part, but not between two', () => {
    expect(phaseOf(inState('waits_for_switch'))).toBe('waiting')
    expect(phaseOf(secondPart({ state: 'waits_for_switch' }))).toBe('started')
  })

  it('is interrupted if the progress is −1', () => {
    expect(phaseOf(inState('running', { page: -1 }))).toBe('interrupted')
  })
})

describe('the list', () => {
  it.each([
    ['a new version', updateStatus(), true],
    ['an update that waits', idleStatus({ state: 'waiting' }), true],
    ['one that runs', idleStatus({ state: 'running' }), true],
    ['one that was interrupted', idleStatus({ state: 'interrupted', page: -1 }), true],
    ['one that is over', idleStatus({ state: 'done' }), false],
    ['nothing', idleStatus(), false],
  ])('of a system with %s', (_name, status, listed) => {
    expect(isListed(status)).toBe(listed)
  })
})

describe('polling', () => {
  it('runs every 500 ms five times while no system is chosen, then every 3 s', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((attempts) => pollAfter(attempts, false))).toEqual([
      500, 500, 500, 500, 500, 3_000, 3_000,
    ])
    expect(pollAfter(0, true)).toBe(3_000)
  })

  it('covers all systems until one of the list is chosen', () => {
    const few = { serials: ['A', 'B'], hinted: [] }
    expect(polledSystems({ ...few, chosen: null, alone: false })).toEqual(['A', 'B'])
    expect(polledSystems({ ...few, chosen: 'B', alone: false })).toEqual(['A', 'B'])
    expect(polledSystems({ ...few, chosen: 'B', alone: true })).toEqual(['B'])
  })

  it('is limited to systems that the live data point out if there are very many', () => {
    const serials = Array.from({ length: 500 }, (_, number) => `S${number}`)
    const many = { serials, alone: false, hinted: ['S7', 'S9'] }
    expect(polledSystems({ ...many, chosen: null })).toEqual(['S7', 'S9'])
    expect(polledSystems({ ...many, chosen: 'S8' })).toEqual(['S7', 'S8', 'S9'])
  })
})

describe('the progress', () => {
  it.each([
    [0, 5],
    [4, 5],
    [5, 5],
    [42, 42],
    [100, 100],
    [140, 100],
    [-1, 5],
  ])('of %d percent is drawn as %d', (page, shown) => {
    expect(shownProgress({ page })).toBe(shown)
  })

  it('counts a part above 99 percent as done, and otherwise trusts the server', () => {
    expect(partsLeft(runningStatus({ page: 99 }))).toBe(2)
    expect(partsLeft(runningStatus({ page: 100 }))).toBe(1)
    expect(partsLeft(secondPart())).toBe(1)
  })

  it('names the current part', () => {
    expect(currentPart(runningStatus())).toMatchObject({ number: 1, part: { type: 'gateway' } })
    expect(currentPart(secondPart())).toMatchObject({ number: 2, part: { type: 'master' } })
    expect(currentPart(idleStatus())).toBeNull()
  })
})

describe('an update that does not begin', () => {
  it('is overdue after two minutes in which the battery could begin and was silent', () => {
    const status = inState('waiting', { started_at: 0 })
    expect(isOverdue(status, 120_000)).toBe(false)
    expect(isOverdue(status, 120_001)).toBe(true)
    expect(isOverdue({ ...status, heard_at: 60_000 }, 120_001)).toBe(false)
    expect(isOverdue({ ...status, state: 'waits_for_switch' }, 600_000)).toBe(false)
    expect(isOverdue(runningStatus({ started_at: 0 }), 600_000)).toBe(false)
    expect(isOverdue(inState('waiting'), 600_000)).toBe(false)
  })
})

describe('the checks before the start', () => {
  const { checks } = updateStatus()
  const tones = (special: Partial<typeof checks>, state: UpdateStatus['state'] = null) =>
    checkLines(inState(state, { checks: { ...checks, ...special } })).map(({ tone }) => tone)

  it('warn of a low or running battery, and block only for an unreachable one', () => {
    expect(tones({})).toEqual(['ok', 'ok', 'ok'])
    expect(tones({ soc_enough: false })).toEqual(['ok', 'warn', 'ok'])
    expect(tones({ soc: null })).toEqual(['ok', 'warn', 'ok'])
    expect(tones({ switched_off: false })).toEqual(['ok', 'ok', 'warn'])
    expect(tones({ reachable: false })).toEqual(['danger', 'ok', 'ok'])
  })

  it('do not complain about a battery that updates while it runs', () => {
    expect(tones({ needs_off: false, switched_off: false })).toEqual(['ok', 'ok', 'ok'])
    const running = inState(null, { checks: { ...checks, needs_off: false, switched_off: false } })
    expect(checkLines(running).at(-1)).toEqual({ check: 'running', tone: 'ok' })
  })

  it('do not ask to switch off after an interruption, when it has to be on', () => {
    expect(tones({ switched_off: false }, 'interrupted')).toEqual(['ok', 'ok'])
  })
})

describe('the buttons', () => {
  const PHASES: Phase[] = ['empty', 'waiting', 'started', 'interrupted', 'finished', 'cancelled']

  it('go on only from a chosen system without an update under way, and never from step 1', () => {
    const may = PHASES.filter((phase) => canContinue({ sn: 'A', step: 0, phase }))
    expect(may).toEqual(['empty', 'interrupted', 'finished', 'cancelled'])
    expect(canContinue({ sn: null, step: 0, phase: 'empty' })).toBe(false)
    expect(canContinue({ sn: 'A', step: 1, phase: 'empty' })).toBe(false)
  })

  it('start only an idle and reachable system', () => {
    const may = PHASES.filter((phase) => canStart(phase, updateStatus()))
    expect(may).toEqual(['empty', 'interrupted', 'finished', 'cancelled'])
    const away = updateStatus({ checks: { ...updateStatus().checks, reachable: false } })
    expect(canStart('empty', away)).toBe(false)
    expect(canStart('empty', undefined)).toBe(false)
  })
})

describe('a link', () => {
  it.each([
    [{ sn: 'SC24A0001' }, 'SC24A0001'],
    [{ sn: 240_001 }, '240001'],
    [{}, null],
    [{ sn: ['A'] }, null],
  ])('%j names %s', (search, sn) => {
    expect(linkedSystem(search)).toBe(sn)
  })
})
