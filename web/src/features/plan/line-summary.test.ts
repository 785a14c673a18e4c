import { expect, test } from 'vitest'
import { lineSummaryOf } from './line-summary'

const line = (...values: (number | null)[]) => values.map((value, at) => ({ value, at }))

test('a line says where it begins and ends, and when it is lowest and highest', () => {
  expect(lineSummaryOf(line(null, 40, 62, 62, 35))).toEqual({
    low: { value: 35, at: 4 },
    high: { value: 62, at: 2 },
    first: 40,
    last: 35,
  })
})

test('has no summary without points', () => {
  expect(lineSummaryOf(line(null, null))).toBeNull()
})
