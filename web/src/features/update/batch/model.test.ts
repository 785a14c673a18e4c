import { expect, it } from 'vitest'
import { idleStatus, runningStatus, updateStatus } from '../testing'
import {
  byHousehold,
  type Candidate,
  countsOf,
  needsStatus,
  runConcurrently,
  type StartOutcome,
  startStateOf,
  startTogether,
} from './model'

const candidate = (special: Partial<Candidate> = {}): Candidate => ({
  sn: 'SC24A0001',
  customer: 'Albers, Katrin',
  household: 0,
  service: true,
  online: true,
  updatable: true,
  updating: false,
  ...special,
})
const checks = { reachable: false, soc: null, soc_enough: false, needs_off: true, switched_off: false }
const silent = { status: undefined, error: null }

it.each([
  [candidate({ service: false }), silent, 'no_service'],
  [candidate({ updating: true }), silent, 'running'],
  [candidate({ updatable: false }), silent, 'none'],
  [candidate({ online: false }), silent, 'unreachable'],
  [candidate(), silent, 'asking'],
  [candidate(), { status: undefined, error: new Error('gone') }, 'unknown'],
  [candidate(), { status: updateStatus(), error: null }, 'ready'],
  [candidate(), { status: runningStatus(), error: null }, 'running'],
  [candidate(), { status: idleStatus(), error: null }, 'none'],
  [candidate(), { status: updateStatus({ checks }), error: null }, 'unreachable'],
])('%j has the state that fleet and update service imply', (one, asked, startState) => {
  expect(startStateOf(one, asked)).toBe(startState)
  // A status is not requested where it would make no difference.
  expect(needsStatus(one)).toBe(one.service && one.online && one.updatable && !one.updating)
})

it('counts the results of the starts', () => {
  const outcomes = {
    A: { state: 'started' },
    B: { state: 'failed', error: null },
    C: { state: 'started' },
    D: { state: 'starting' },
  } as const
  expect(countsOf(outcomes)).toEqual({ starting: 1, started: 2, failed: 1 })
})

it('runs a few at a time, and each once', async () => {
  let now = 0
  let most = 0
  const done: number[] = []
  await runConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    now += 1
    most = Math.max(most, now)
    await Promise.resolve()
    now -= 1
    done.push(item)
  })
  expect(most).toBe(2)
  expect(done.sort()).toEqual([1, 2, 3, 4, 5])
})

it('starts the systems of one household together, and unowned ones alone', () => {
  const all = [
    candidate({ sn: 'A', household: 0 }),
    candidate({ sn: 'B', household: 1 }),
    candidate({ sn: 'C', household: 0 }),
    candidate({ sn: 'D', household: null }),
    candidate({ sn: 'E', household: null }),
  ]
  expect(byHousehold(['A', 'B', 'C', 'D', 'E'], all)).toEqual([['A', 'C'], ['B'], ['D'], ['E']])
})

it('starts a household with one order, and system by system where one of them cannot start', async () => {
  const orders: string[] = []
  const states: Record<string, string> = {}
  const refusing = (refused: string) => (serials: string) => {
    orders.push(serials)
    return serials.includes(refused) ? Promise.reject(new Error('refused')) : Promise.resolve()
  }
  const mark = (sn: string, { state }: StartOutcome) => {
    states[sn] = state
  }
  await startTogether(['A', 'B'], refusing('none'), mark)
  expect(orders).toEqual(['A,B'])
  expect(states).toEqual({ A: 'started', B: 'started' })

  orders.length = 0
  await startTogether(['A', 'B', 'C'], refusing('B'), mark)
  expect(orders).toEqual(['A,B,C', 'A', 'B', 'C'])
  expect(states).toEqual({ A: 'started', B: 'failed', C: 'started' })
})
