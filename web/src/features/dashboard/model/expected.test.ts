import { expect, it } from 'vitest'
import { expectedOf } from './expected'

const QUARTER = 900_000
/** Midnight of 2026-11-16 in Berlin. */
const MIDNIGHT = Date.UTC(2026, 10, 15, 23)
const points = (from: number, count: number) =>
  Array.from({ length: count }, (_, place) => ({ start: from + place * QUARTER, p10: 0, p50: 400, p90: 900 }))

it('sums up the site’s day, and no other', () => {
  expect(expectedOf(points(MIDNIGHT - 8 * QUARTER, 192), '2026-11-16', 'Europe/Berlin')).toBe(9_600)
})

it('is unknown for a day with a partial forecast', () => {
  expect(expectedOf(points(MIDNIGHT, 40), '2026-11-16', 'Europe/Berlin')).toBeNull()
})
