import { describe, expect, it } from 'vitest'
import { block, steps, TWO } from '@/lib/testing/plan'
import { pictureOf, priceLevels, stepAt } from './picture'

const HOUR = 3_600_000
/** Berlin in winter is UTC+1. */
const hourOf = (at: number) => new Date(at + HOUR).getUTCHours()
const plan = { steps: steps(), blocks: [block(), block({ start: TWO + 2 * HOUR, mode: 'self' })], wish: null }

describe('the picture of a plan', () => {
  it('is empty without a plan', () => {
    expect(pictureOf({ steps: [], blocks: [], wish: null }, 390, hourOf)).toBeNull()
  })

  it('marks the blocks that hold or charge, as wide as they last', () => {
    const picture = pictureOf(plan, 390, hourOf)
    expect(picture?.blocks).toHaveLength(1)
    const [charge] = picture?.blocks ?? []
    expect(charge?.x).toBe(picture?.left)
    expect(charge?.width).toBeCloseTo(((picture?.right ?? 0) - (picture?.left ?? 0)) / 2, 0)
  })

  it('draws known and forecast prices apart, without a gap', () => {
    const [known, guessed, ...more] = pictureOf(plan, 390, hourOf)?.prices.lines ?? []
    expect(more).toEqual([])
    expect([known?.known, guessed?.known]).toEqual([true, false])
    const end = known?.path.split('L').at(-1)
    expect(guessed?.path.startsWith(`M${end}`)).toBe(true)
  })

  it('has a band around the state of charge, and labels that do not overlap on a phone', () => {
    const picture = pictureOf(plan, 320, hourOf)
    expect(picture?.charge.band).toMatch(/^M.*Z$/)
    const places = picture?.hours.map(({ x }) => x) ?? []
    for (const [place, x] of places.entries()) {
      if (place > 0) expect(x - (places[place - 1] ?? 0)).toBeGreaterThanOrEqual(52)
    }
  })

  it('finds the step at each point, also beyond both ends', () => {
    const edges = { left: 40, right: 360 }
    const startAt = (x: number) => (stepAt(plan.steps, edges, x)?.step.start ?? 0) - TWO
    expect([0, 41, 61, 359, 400].map(startAt)).toEqual([0, 0, HOUR / 4, 3.75 * HOUR, 3.75 * HOUR])
    // The last state of charge is drawn at the right edge.
    expect(stepAt(plan.steps, edges, 41)?.x).toBe(60)
    expect(stepAt([], edges, 41)).toBeNull()
  })

  it("marks a charge target within the plan's time, and none beyond it", () => {
    expect(pictureOf({ ...plan, wish: { soc: 70, by: TWO + HOUR } }, 390, hourOf)?.target).not.toBeNull()
    expect(pictureOf({ ...plan, wish: { soc: 70, by: TWO + 9 * HOUR } }, 390, hourOf)?.target).toBeNull()
  })

  it.each([
    [
      [10, 60],
      [0, 20, 40, 60],
    ],
    [
      [24, 33],
      [0, 20, 40],
    ],
    [
      [-12, 41],
      [-20, 0, 20, 40, 60],
    ],
    [
      [0, 0],
      [0, 1],
    ],
  ])('writes round prices around %j', (prices, levels) => {
    expect(priceLevels(prices.map((price) => ({ price })))).toEqual(levels)
  })
})
