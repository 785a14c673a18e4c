import { describe, expect, it } from 'vitest'
import { energiesOf } from '@/lib/energy'
import { daysOf, piecesOf, SMALL_CHARTS } from './small'

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
})
