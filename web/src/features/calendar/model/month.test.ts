import { describe, expect, it } from 'vitest'
import { dayAfterKey, lastDay, monthsBetween, nextMonth, previousMonth, weeksOf } from './month'

describe('the grid of a month', () => {
  it.each([
    // Begins on a Sunday and ends on a Monday, so both neighbouring months fill it.
    ['2026-11', 6, '2026-10-26', '2026-12-06'],
    // Exactly four weeks.
    ['2027-02', 4, '2027-02-01', '2027-02-28'],
    ['2024-02', 5, '2024-01-29', '2024-03-03'],
  ])('%s has %i weeks from %s to %s', (month, count, first, last) => {
    const weeks = weeksOf(month)
    expect(weeks).toHaveLength(count)
    expect(weeks[0]?.[0]).toBe(first)
    expect(weeks.at(-1)?.[6]).toBe(last)
    expect(weeks.every((week) => week.length === 7)).toBe(true)
  })

  it.each(['2026-03', '2026-10'])('with a clock change has each of its 31 days once: %s', (month) => {
    const days = weeksOf(month)
      .flat()
      .filter((day) => day.startsWith(month))
    expect(days).toHaveLength(31)
    expect(new Set(days).size).toBe(31)
  })
})

describe('months', () => {
  it('continue across the new year', () => {
    expect(nextMonth('2026-12')).toBe('2027-01')
    expect(previousMonth('2026-01')).toBe('2025-12')
    expect(lastDay('2024-02')).toBe('2024-02-29')
  })

  it('are offered from the first year on, newest first', () => {
    const months = monthsBetween(2025, '2026-02')
    expect(months).toHaveLength(14)
    expect(months[0]).toBe('2026-02')
    expect(months.at(-1)).toBe('2025-01')
  })
})

describe('a key', () => {
  it.each([
    ['ArrowLeft', '2026-11-01', '2026-10-31'],
    ['ArrowRight', '2026-10-25', '2026-10-26'],
    ['ArrowUp', '2026-11-15', '2026-11-08'],
    ['ArrowDown', '2026-11-25', '2026-12-02'],
    ['Home', '2026-11-15', '2026-11-09'],
    ['End', '2026-11-10', '2026-11-15'],
    // The first week of this November has only one day.
    ['Home', '2026-11-01', '2026-11-01'],
    ['End', '2026-11-30', '2026-11-30'],
    ['PageUp', '2026-03-31', '2026-02-28'],
    ['PageDown', '2026-11-15', '2026-12-15'],
  ])('%s moves from %s to %s', (key, from, to) => {
    expect(dayAfterKey(key, from)).toBe(to)
  })

  it('that does not move has no target', () => {
    expect(dayAfterKey('Enter', '2026-11-15')).toBeNull()
  })
})
