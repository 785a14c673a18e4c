import { describe, expect, it } from 'vitest'
import { ANSWER_MAX_AGE, CHARTS_KEPT, POINTS_KEPT } from '../constants'
import { isWorthKeeping, mayBeShown, surplusOf, VERSION } from './model'

const asked = (queryKey: unknown[], data: unknown = {}) => ({ queryKey, state: { data } })
const graph = (points: number) => asked(['graph', {}], { time: Array(points).fill(0) })

describe('what is kept', () => {
  it.each(['systems', 'groups', 'live', 'tariff', 'savings', 'energy'])('%s are', (kind) => {
    expect(isWorthKeeping(asked([kind]))).toBe(true)
  })

  it.each(['account', 'claims', 'config'])('%s is not', (kind) => {
    expect(isWorthKeeping(asked([kind]))).toBe(false)
  })

  it('a chart is, as long as it is no larger than a day by the minute', () => {
    expect(isWorthKeeping(graph(96))).toBe(true)
    expect(isWorthKeeping(graph(POINTS_KEPT))).toBe(true)
    expect(isWorthKeeping(graph(POINTS_KEPT + 1))).toBe(false)
  })

  it('nothing is kept of a question without an answer', () => {
    expect(isWorthKeeping(asked(['energy', 'A', 'week_2026-06-18'], null))).toBe(false)
  })
})

describe('who sees it', () => {
  const now = Date.UTC(2026, 10, 15)
  const answer = { id: '1', account: 'A', version: VERSION, key: ['live'], json: '{}', at: now }

  it.each([
    ['the same account', {}, true],
    ['another account', { account: 'B' }, false],
    ['a version that kept it in another shape', { version: VERSION - 1 }, false],
    ['somebody who comes within a week', { at: now - ANSWER_MAX_AGE }, true],
    ['somebody who comes later', { at: now - ANSWER_MAX_AGE - 1 }, false],
  ])('%s', (_name, change, expected) => {
    expect(mayBeShown({ ...answer, ...change }, { account: 'A', now })).toBe(expected)
  })
})

describe('what is too much', () => {
  it('are the oldest charts, never the systems or their live data', () => {
    const charts = Array.from({ length: CHARTS_KEPT + 2 }, (_, at) => ({
      id: `chart ${at}`,
      key: [at % 2 === 0 ? 'graph' : 'energy'],
      at,
    }))
    const others = [
      { id: 'systems', key: ['systems'], at: -1 },
      { id: 'live', key: ['live', 'de'], at: -1 },
    ]
    expect(surplusOf([...others, ...charts])).toEqual(['chart 1', 'chart 0'])
  })
})
