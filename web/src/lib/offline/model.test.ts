import { describe, expect, it } from 'vitest'
import { MAX_CACHED_CHARTS, MAX_CACHED_POINTS, OFFLINE_MAX_AGE } from '../constants'
import { isCacheable, isValidFor, surplusOf, VERSION } from './model'

const asked = (queryKey: unknown[], data: unknown = {}) => ({ queryKey, state: { data } })
const graph = (points: number) => asked(['graph', {}], { time: Array(points).fill(0) })

describe('the offline cache', () => {
  it.each(['systems', 'groups', 'live', 'tariff', 'savings', 'energy'])('%s are cached', (kind) => {
    expect(isCacheable(asked([kind]))).toBe(true)
  })

  it.each(['account', 'claims', 'config'])('%s is not', (kind) => {
    expect(isCacheable(asked([kind]))).toBe(false)
  })

  it('caches a chart that is no larger than a day of minutes', () => {
    expect(isCacheable(graph(96))).toBe(true)
    expect(isCacheable(graph(MAX_CACHED_POINTS))).toBe(true)
    expect(isCacheable(graph(MAX_CACHED_POINTS + 1))).toBe(false)
  })

  it('caches nothing of a query without an answer', () => {
    expect(isCacheable(asked(['energy', 'A', 'week_2026-06-18'], null))).toBe(false)
  })
})

describe('access to the cache', () => {
  const now = Date.UTC(2026, 10, 15)
  const answer = { id: '1', account: 'A', version: VERSION, key: ['live'], json: '{}', at: now }

  it.each([
    ['the same account', {}, true],
    ['another account', { account: 'B' }, false],
    ['a version that kept it in another shape', { version: VERSION - 1 }, false],
    ['somebody who comes within a week', { at: now - OFFLINE_MAX_AGE }, true],
    ['somebody who comes later', { at: now - OFFLINE_MAX_AGE - 1 }, false],
  ])('%s', (_name, change, expected) => {
    expect(isValidFor({ ...answer, ...change }, { account: 'A', now })).toBe(expected)
  })
})

describe('the surplus', () => {
  it('is the oldest charts, never the systems or their live data', () => {
    const charts = Array.from({ length: MAX_CACHED_CHARTS + 2 }, (_, at) => ({
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
