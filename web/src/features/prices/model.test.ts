import { expect, test } from 'vitest'
import {
  extremes,
  fallbackSource,
  isPending,
  type SystemPrices,
  sourceErrorOf,
  stepsText,
  untilOf,
  upcomingPrices,
} from './model'

const MIDNIGHT = Date.parse('2026-11-15T23:00:00Z')
const QUARTER = 900_000

const prices = (change: Partial<SystemPrices> = {}): SystemPrices => ({
  sn: 'SC000001',
  currency: 'EUR',
  provider: 'awattar',
  time_zone: 'Europe/Berlin',
  now: MIDNIGHT + QUARTER + 1,
  time: [0, 1, 2, 3].map((n) => MIDNIGHT + n * QUARTER),
  import_price: [10, 20, null, -1.5],
  source: ['awattar', 'awattar', null, 'energy_charts'],
  feed_in_price: null,
  known_until: null,
  success_at: null,
  error: null,
  failing_since: null,
  steps: [],
  ...change,
})

test('the current quarter counts, past ones do not, and a gap has no price', () => {
  const quarters = upcomingPrices(prices())
  expect(quarters.map(({ price }) => price)).toEqual([20, -1.5])
  expect(extremes(quarters)).toEqual({
    low: { at: MIDNIGHT + 3 * QUARTER, price: -1.5 },
    high: { at: MIDNIGHT + QUARTER, price: 20 },
  })
  expect(extremes([])).toBeNull()
})

test('the source that fills gaps is named, the chosen provider is not', () => {
  expect(fallbackSource(prices())).toBe('energy_charts')
  expect(fallbackSource(prices({ source: ['awattar', null] }))).toBeNull()
})

test('a provider is pending until it has answered or failed', () => {
  expect(isPending(prices())).toBe(true)
  expect(isPending(prices({ success_at: 1 }))).toBe(false)
  expect(isPending(prices({ error: 'timed_out' }))).toBe(false)
  expect(isPending(prices({ provider: 'fixed' }))).toBe(false)
})

test('an unknown error code counts as a fault of the provider', () => {
  expect(sourceErrorOf({ error: null })).toBeNull()
  expect(sourceErrorOf({ error: 'token_refused' })).toBe('token_refused')
  expect(sourceErrorOf({ error: 'something_new' })).toBe('failed')
})

test('a midnight belongs to the day that it ends', () => {
  const day = 86_400_000
  expect(untilOf(MIDNIGHT + day, prices())).toEqual({ day: 'today', midnight: true })
  expect(untilOf(MIDNIGHT + 2 * day, prices())).toEqual({ day: 'tomorrow', midnight: true })
  expect(untilOf(MIDNIGHT + day + QUARTER, prices())).toEqual({ day: 'tomorrow', midnight: false })
})

test('steps are sent as the API reads them', () => {
  expect(
    stepsText([
      { id: 1, days: 'workdays', start: '00:00', price: ' 21,5 ' },
      { id: 2, days: 'weekend', start: '06:15', price: '20' },
    ]),
  ).toBe('workdays/00:00/21,5;weekend/06:15/20')
})
