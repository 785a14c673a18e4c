import { describe, expect, it } from 'vitest'
import { energiesOf } from '@/lib/energy'
import { beforesOf, daysBefore, daysOf, earlierRows, piecesOf, SMALL_CHARTS, sumOf } from './small'

const partsOf = (title: string) => SMALL_CHARTS.find((chart) => chart.title === title)?.parts ?? []
const row = energiesOf({ m2: 100, m2N: -300, m4: 600, m5: 50, m5N: -100 })
const unknown = energiesOf({})

describe('the small charts', () => {
  it('are grid, battery, PV, consumption and production', () => {
    expect(SMALL_CHARTS.map(({ title }) => title)).toEqual([
      'small.grid',
      'small.battery',
      'small.pv',
      'small.consumption',
      'small.production',
    ])
  })

  it.each([
    ['day', '2026-11-15_2026-11-15'],
    ['week', 'week_2026-11-15'],
    ['total', 'total_2026-11-15'],
  ] as const)('of a %s ask for %s', (period, days) => {
    expect(daysOf(period, '2026-11-15')).toBe(days)
  })

  it('draw what leaves the house below zero', () => {
    const { pieces, zero } = piecesOf(partsOf('small.grid'), [row])
    const [[imported, fedIn] = []] = pieces
    expect(zero).toBe(0.25)
    expect(imported).toMatchObject({ top: 0, height: 0.25, hatched: false })
    expect(fedIn).toMatchObject({ top: 0.25, height: 0.75, hatched: true })
  })

  it('stack the parts of one bar up to its whole', () => {
    const [pieces = []] = piecesOf(partsOf('small.consumption'), [row]).pieces
    expect(pieces.map(({ colour }) => colour)).toEqual(['pv', 'battery', 'grid'])
    expect(pieces.reduce((sum, { height }) => sum + height, 0)).toBeCloseTo(1)
    expect(pieces.at(-1)?.top).toBeCloseTo(0)
  })

  it('leave no mark where nothing was measured', () => {
    expect(piecesOf(partsOf('small.pv'), [unknown, row]).pieces[0]).toEqual([])
    expect(piecesOf(partsOf('small.pv'), [unknown])).toEqual({ pieces: [[]], zero: 1 })
  })

  it.each([
    ['day', 'day', '2026-03-31', '2026-03-30', '2026-03-30'],
    ['week', 'week', '2026-03-31', '2026-03-18', '2026-03-24'],
    ['week', 'year', '2026-03-31', '2025-03-26', '2025-04-01'],
    ['month', 'month', '2026-03-17', '2026-02-01', '2026-02-17'],
    ['month', 'month', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['month', 'year', '2024-02-29', '2023-02-01', '2023-02-28'],
    ['year', 'year', '2026-03-31', '2025-01-01', '2025-03-31'],
  ] as const)('hold a %s against the %s before %s: %s to %s', (period, before, today, first, last) => {
    expect(daysBefore(period, today, before)).toEqual({ first, last })
  })

  it('hold nothing against all years', () => {
    expect(beforesOf('total')).toEqual([])
    expect(beforesOf('month')).toEqual(['month', 'year'])
  })

  it('put the days of a year before into its months', () => {
    const day = (time: string, m4: number) => ({ time, energies: energiesOf({ m4 }) })
    const days = [day('2025-01-01', 100), day('2025-01-31', 200), day('2025-03-01', 50)]
    const rows = earlierRows('year', days, 12)
    expect(rows.map((one) => one?.pv ?? null).slice(0, 4)).toEqual([300, null, 50, null])
    expect(earlierRows('week', days, 7).map((one) => one?.pv ?? null)).toEqual([
      100,
      200,
      50,
      null,
      null,
      null,
      null,
    ])
  })

  it('add only what was measured', () => {
    expect(sumOf([row, unknown, row])).toMatchObject({ pv: 1200, import: 200 })
    expect(sumOf([unknown]).pv).toBeNull()
  })
})
