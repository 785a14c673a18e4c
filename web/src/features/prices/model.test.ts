import { expect, test } from 'vitest'
import {
  ahead,
  extremes,
  isBeingAsked,
  type SystemPrices,
  standIn,
  stepsText,
  troubleOf,
  untilOf,
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

test('the quarter-hour that runs counts, the one before does not, and a gap has no price', () => {
  const quarters = ahead(prices())
  expect(quarters.map(({ price }) => price)).toEqual([20, -1.5])
  expect(extremes(quarters)).toEqual({
    low: { at: MIDNIGHT + 3 * QUARTER, price: -1.5 },
    high: { at: MIDNIGHT + QUARTER, price: 20 },
  })
  expect(extremes([])).toBeNull()
})

test('another service that fills gaps is named, the chosen one is not', () => {
  expect(standIn(prices())).toBe('energy_charts')
  expect(standIn(prices({ source: ['awattar', null] }))).toBeNull()
})

test('a provider is being asked until it has answered or failed', () => {
  expect(isBeingAsked(prices())).toBe(true)
  expect(isBeingAsked(prices({ success_at: 1 }))).toBe(false)
  expect(isBeingAsked(prices({ error: 'timed_out' }))).toBe(false)
  expect(isBeingAsked(prices({ provider: 'fixed' }))).toBe(false)
})

test('a code that nobody knows yet is a fault of the provider', () => {
  expect(troubleOf({ error: null })).toBeNull()
  expect(troubleOf({ error: 'token_refused' })).toBe('token_refused')
  expect(troubleOf({ error: 'something_new' })).toBe('failed')
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
