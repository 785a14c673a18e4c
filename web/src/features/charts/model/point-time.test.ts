import { expect, it } from 'vitest'
import { pointTime } from './point-time'

const noon = Date.parse('2026-06-15T10:15:00Z')

it.each([
  ['Day', 'quarter', '12:15'],
  ['Week', 'quarter', '15.06.2026 12:15'],
  ['Month', 'day', '15.06.2026'],
  ['Year', 'month', 'Juni 2026'],
] as const)('a %s in steps of a %s says %s', (interval, resolution, expected) => {
  expect(pointTime({ interval, resolution, time_zone: 'Europe/Berlin' }, noon, 'de')).toBe(expected)
})
