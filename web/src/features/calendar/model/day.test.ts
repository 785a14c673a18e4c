import { describe, expect, it } from 'vitest'
import { saving } from '@/lib/testing/money'
import { boundsOf, daysOf, isMeasured, levelOf, plannedOf } from './day'

const chart = {
  sn: 'A',
  rows: [
    { de_time: '2026-11-14', m2: 500, m2N: -17_900, m4: 35_200, m5: 1_900, m5N: -12_100, unplaced: {} },
    { de_time: '2026-11-15', m2: null, m2N: null, m4: null, m5: null, m5N: null, unplaced: {} },
  ],
}
const savings = [saving('2026-11-14', -129, -80), saving('2026-11-15', null)]
const known = {
  month: '2026-11',
  today: '2026-11-15',
  chart,
  savings,
  planned: plannedOf({ calibrationDays: 12, updatable: false }, '2026-11-15'),
}

/** A day of the month by number. */
const day = (number: number) => {
  const found = daysOf(known)[number - 1]
  if (!found) throw new Error('no such day')
  return found
}

describe('the days of a month', () => {
  it('are complete, including future ones', () => {
    expect(daysOf(known)).toHaveLength(30)
    expect(day(14)).toMatchObject({ ahead: false, today: false })
    expect(day(15)).toMatchObject({ ahead: false, today: true })
    expect(day(16)).toMatchObject({ ahead: true, today: false })
  })

  it('have the energy and money of the API', () => {
    expect(day(14)).toMatchObject({ consumed: 7_600, money: { actual: -129, withoutBattery: -80 } })
    expect(day(14).energies.pv).toBe(35_200)
    expect(day(14).selfSufficiency).toBeCloseTo(93.4, 1)
    expect(isMeasured(day(14))).toBe(true)
  })

  it('are unknown without values, never zero', () => {
    expect(day(15)).toMatchObject({ consumed: null, selfSufficiency: null, money: { actual: null } })
    expect(day(15).energies.pv).toBeNull()
    expect(isMeasured(day(15))).toBe(false)
  })

  it('exist before the server has answered', () => {
    expect(daysOf({ ...known, chart: undefined, savings: undefined })).toHaveLength(30)
  })
})

describe('planned events', () => {
  it('are on their days', () => {
    expect(day(27).planned).toEqual(['calibration'])
    expect(daysOf(known).filter(({ planned }) => planned.length > 0)).toHaveLength(1)
  })

  it('may be in the next month, or today', () => {
    expect(plannedOf({ calibrationDays: 20, updatable: undefined }, '2026-11-15')).toEqual([
      { day: '2026-12-05', what: 'calibration' },
    ])
    expect(plannedOf({ calibrationDays: 0, updatable: undefined }, '2026-11-15')).toEqual([
      { day: '2026-11-15', what: 'calibration' },
    ])
  })

  it('include a waiting update, on the current day', () => {
    const planned = plannedOf({ calibrationDays: null, updatable: true }, '2026-11-15')
    expect(planned).toEqual([{ day: '2026-11-15', what: 'update' }])
  })

  it('are none while no battery reports any', () => {
    expect(plannedOf({ calibrationDays: null, updatable: undefined }, '2026-11-15')).toEqual([])
    expect(plannedOf({ calibrationDays: undefined, updatable: undefined }, '2026-11-15')).toEqual([])
  })

  it('include the last day of an active grant, once, but not of an offered one', () => {
    const grant = (state: 'active' | 'unconfirmed' | 'invited' | 'ended', until_day: string | null) => ({
      state,
      until_day,
    })
    const grants = [
      grant('active', '2026-11-20'),
      grant('unconfirmed', '2026-11-20'),
      grant('active', '2026-12-24'),
      grant('active', null),
      grant('invited', '2026-11-21'),
      grant('ended', '2026-11-10'),
    ]
    expect(plannedOf({ calibrationDays: null, updatable: false, grants }, '2026-11-15')).toEqual([
      { day: '2026-11-20', what: 'grant' },
      { day: '2026-12-24', what: 'grant' },
    ])
  })
})

describe('the shade of a day', () => {
  it.each([
    [0, 0],
    [19.9, 0],
    [20, 1],
    [79.9, 3],
    [93.4, 4],
    [100, 4],
  ])('of %d percent is number %i', (percent, level) => {
    expect(levelOf(percent)).toBe(level)
  })

  it('covers a fifth', () => {
    expect(boundsOf(3)).toEqual({ low: 60, high: 80 })
  })
})
