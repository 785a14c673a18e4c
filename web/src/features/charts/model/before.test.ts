import { describe, expect, it } from 'vitest'
import { alignedTo, BEFORE, dateBefore, upToNow } from './before'

const HOUR = 3_600_000
const hours = (from: string, count: number) =>
  Array.from({ length: count }, (_, hour) => Date.parse(from) + hour * HOUR)

const day = (time: number[], values: (number | null)[]) => ({
  interval: 'Day',
  resolution: 'hour',
  time_zone: 'Europe/Berlin',
  time,
  series: { m6: values },
})

describe('the comparison period', () => {
  it.each([
    ['2026-11-18', 'Day', 'day', '2026-11-17'],
    ['2026-11-18', 'Day', 'week', '2026-11-11'],
    ['2026-11-18', 'Day', 'year', '2025-11-18'],
    ['2028-02-29', 'Day', 'year', '2027-02-28'],
    ['2026-11-18', 'Week', 'week', '2026-11-11'],
    // The same weekdays.
    ['2026-11-18', 'Week', 'year', '2025-11-19'],
    ['2026-03-31', 'Month', 'month', '2026-02-01'],
    ['2026-03-31', 'Month', 'year', '2025-03-31'],
    ['2026-03-31', 'Year', 'year', '2025-03-31'],
  ] as const)('of %s as a %s, a %s ago, is %s', (date, interval, before, expected) => {
    expect(BEFORE[interval]).toContain(before)
    expect(dateBefore(date, interval, before)).toBe(expected)
  })

  it('is aligned point by point by the site’s clock', () => {
    const now = day(hours('2026-11-17T23:00Z', 24), [])
    const before = day(
      hours('2026-11-16T23:00Z', 24),
      Array.from({ length: 24 }, (_, hour) => hour),
    )
    expect(alignedTo(now, before).m6).toEqual(before.series.m6)
  })

  it('compares a day of 25 hours with one of 24: the repeated hour has the same value twice', () => {
    const now = day(hours('2026-10-24T22:00Z', 25), [])
    const before = day(
      hours('2026-10-23T22:00Z', 24),
      Array.from({ length: 24 }, (_, hour) => hour),
    )
    expect(alignedTo(now, before).m6?.slice(0, 6)).toEqual([0, 1, 2, 2, 3, 4])
  })

  it('has no values where the earlier day lacked the hour, or the month lacked the day', () => {
    const now = day(hours('2026-03-29T22:00Z', 24), [])
    const before = day(
      hours('2026-03-28T23:00Z', 23),
      Array.from({ length: 23 }, () => 7),
    )
    expect(alignedTo(now, before).m6?.slice(0, 5)).toEqual([7, 7, null, 7, 7])
    const month = (from: string, count: number) => ({
      ...day(
        Array.from({ length: count }, (_, one) => Date.parse(from) + one * 24 * HOUR),
        Array.from({ length: count }, (_, one) => one + 1),
      ),
      interval: 'Month',
      resolution: 'day',
    })
    const aligned = alignedTo(month('2026-01-01T12:00Z', 31), month('2026-02-01T12:00Z', 28)).m6
    expect(aligned?.slice(26)).toEqual([27, 28, null, null, null])
  })

  it('aligns the months of a year', () => {
    const year = (number: number, values: number[]) => ({
      ...day(
        values.map((_, month) => Date.UTC(number, month, 1, 12)),
        values,
      ),
      interval: 'Year',
      resolution: 'month',
    })
    expect(alignedTo(year(2026, [0, 0, 0]), year(2025, [1, 2, 3, 4])).m6).toEqual([1, 2, 3])
  })

  it('is summed up only as far as the chart has values', () => {
    expect(upToNow({ m6: [1, 2, 3, 4] }, { series: { m6: [5, null, 7, null] } }).m6).toEqual([1, 2, 3, null])
    expect(upToNow({ m6: [1] }, { series: {} }).m6).toEqual([null])
  })
})
