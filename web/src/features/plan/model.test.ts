import { describe, expect, it } from 'vitest'
import type { Saving } from '@/lib/data/money'
import { block, planOf, steps, TWO } from '@/lib/testing/plan'
import { checkChargeTarget, hoursOf, isUnderWay, nextAction, planStateOf, savedDays, sumOf } from './model'

const HOUR = 3_600_000

describe('a plan', () => {
  it('is off, waiting or planned', () => {
    expect(planStateOf(planOf())).toBe('off')
    expect(planStateOf(planOf({ on: true }))).toBe('waiting')
    expect(planStateOf(planOf({ on: true, issued: TWO }))).toBe('planned')
  })

  it('says what it does next, and skips blocks that are over or plain self-consumption', () => {
    const blocks = [
      block({ start: TWO - 2 * HOUR, end: TWO - HOUR, mode: 'hold' }),
      block({ start: TWO - HOUR, end: TWO, mode: 'self' }),
      block(),
    ]
    expect(nextAction(blocks, TWO - HOUR)).toBe(blocks[2])
    expect(nextAction(blocks, TWO + 2 * HOUR)).toBeNull()
    expect(isUnderWay(block(), TWO)).toBe(true)
    expect(isUnderWay(block(), TWO + 2 * HOUR)).toBe(false)
  })

  it('can be read hour by hour', () => {
    const hours = hoursOf({ steps: steps(TWO), blocks: [block()] })
    expect(hours).toHaveLength(4)
    expect(hours[0]).toEqual({
      start: TWO,
      mode: 'charge',
      price: 24,
      known: true,
      soc: 46,
      low: 38,
      high: 54,
    })
    expect(hours[3]).toMatchObject({ mode: 'self', price: 33, known: false })
  })
})

describe('what a plan saved', () => {
  const day = (date: string, actual: number | null, without_plan: number | null, counted = true): Saving => ({
    day: date,
    cost: actual,
    income: 0,
    actual,
    without_plan,
    without_battery: null,
    counted,
  })
  const rows = [
    day('2026-11-01', null, null, false),
    day('2026-11-02', 100, null),
    day('2026-11-03', 100, 130),
    day('2026-11-04', 100, 95),
    day('2026-11-05', 100, null, false),
    day('2026-11-06', 100, 100),
    day('2026-11-07', null, null, false),
    day('2026-11-08', 100, null),
  ]

  it('begins with the first day that had a plan, newest first', () => {
    const words = savedDays(rows).map(({ result }) => result.word)
    expect(words).toEqual(['unplanned', 'uncounted', 'same', 'uncounted', 'lost', 'saved'])
    expect(savedDays(rows.slice(0, 2))).toEqual([])
  })

  it('counts losses as losses, and leaves out days with gaps', () => {
    expect(sumOf(savedDays(rows))).toEqual({ saved: 25, counted: 3, uncounted: 2, lost: 1 })
  })
})

describe('a charge target', () => {
  it.each([
    ['70', '18:00', null, null],
    [' 100 ', '00:00', null, null],
    ['101', '18:00', 'soc_range', null],
    ['', '', 'soc_range', 'time_invalid'],
    ['7,5', '24:00', 'soc_range', 'time_invalid'],
    ['-1', '8:0', 'soc_range', 'time_invalid'],
    ['70', '8', null, null],
  ])('of %j %% by %j', (soc, by, wrongSoc, wrongBy) => {
    expect(checkChargeTarget({ soc, by })).toEqual({ soc: wrongSoc, by: wrongBy })
  })
})
