import { describe, expect, it, vi } from 'vitest'
import { isSiteDay, mondayOf, plusDays, siteDayOf, siteTimeOf, startOf, step } from './site-day'

describe('a day of the site', () => {
  it('begins at the site’s midnight', () => {
    const lateEvening = Date.UTC(2026, 10, 14, 23, 30)
    expect(siteDayOf(lateEvening, 'Europe/Berlin')).toBe('2026-11-15')
    expect(siteDayOf(lateEvening, 'UTC')).toBe('2026-11-14')
  })

  it('is written the same, however the browser formats dates', () => {
    // ICU 72 (WebKitGTK, Chrome 110 to 112) returns this for `en-CA`.
    vi.spyOn(Intl.DateTimeFormat.prototype as { format: unknown }, 'format', 'get').mockReturnValue(
      () => '11/17/2026',
    )
    expect(siteDayOf(Date.UTC(2026, 10, 17, 12), 'Europe/Vienna')).toBe('2026-11-17')
  })

  it.each([
    ['2026-02-28', true],
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['2026-2-1', false],
    [20260201, false],
    ['yesterday', false],
  ])('is %s: %s', (text, expected) => {
    expect(isSiteDay(text)).toBe(expected)
  })

  it('has neighbours also at clock changes', () => {
    expect(plusDays('2026-03-29', 1)).toBe('2026-03-30')
    expect(plusDays('2026-10-25', 1)).toBe('2026-10-26')
    expect(plusDays('2026-01-01', -1)).toBe('2025-12-31')
  })

  it('ends a week of seven days, and has a Monday, a month and a year', () => {
    expect(startOf('2026-11-15', 'Week')).toBe('2026-11-09')
    expect(startOf('2026-11-09', 'Week')).toBe('2026-11-03')
    expect(mondayOf('2026-11-15')).toBe('2026-11-09')
    expect(mondayOf('2026-11-09')).toBe('2026-11-09')
    expect(startOf('2026-11-15', 'Month')).toBe('2026-11-01')
    expect(startOf('2026-11-15', 'Year')).toBe('2026-01-01')
  })

  it.each([
    ['Day', '2026-11-15', 1, '2026-11-16'],
    ['Week', '2026-11-15', -1, '2026-11-08'],
    ['Month', '2026-01-31', 1, '2026-02-01'],
    ['Month', '2026-01-31', -1, '2025-12-01'],
    ['Year', '2026-11-15', 1, '2027-01-01'],
  ] as const)('%s: from %s by %i to %s', (interval, day, by, expected) => {
    expect(step(day, interval, by)).toBe(expected)
  })
})

describe('a time on the site’s clock', () => {
  it('keeps its hours', () => {
    expect(siteTimeOf('2026-11-15 08:05:09')).toBe(Date.UTC(2026, 10, 15, 8, 5, 9))
    expect(siteTimeOf('some day')).toBeNull()
  })
})
