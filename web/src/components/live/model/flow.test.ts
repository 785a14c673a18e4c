import { describe, expect, it } from 'vitest'
import { flowsOf, sharesOfHouse, speedOf } from './flow'

const powers = (pv: number, grid: number, battery: number) => ({
  pv,
  grid,
  battery,
  house: pv + grid + battery,
})

describe('energy flows', () => {
  it('go from the sun to the house, the battery and the grid at noon', () => {
    expect(flowsOf(powers(7_000, -4_340, -1_900))).toEqual([
      { from: 'pv', to: 'house', watts: 760 },
      { from: 'pv', to: 'battery', watts: 1_900 },
      { from: 'pv', to: 'grid', watts: 4_340 },
    ])
  })

  it('go from the battery to the house in the evening, and the grid adds the rest', () => {
    expect(flowsOf(powers(0, 300, 900))).toEqual([
      { from: 'battery', to: 'house', watts: 900 },
      { from: 'grid', to: 'house', watts: 300 },
    ])
  })

  it('include a battery that charges from the grid, or feeds into it', () => {
    expect(flowsOf(powers(0, 2_500, -2_000))).toContainEqual({ from: 'grid', to: 'battery', watts: 2_000 })
    expect(flowsOf(powers(0, -1_000, 1_500))).toContainEqual({ from: 'battery', to: 'grid', watts: 1_000 })
  })

  it('leave out power below 30 W, because meters never read zero', () => {
    expect(flowsOf(powers(30, 30, 0))).toEqual([])
    expect(flowsOf(powers(31, 0, 0))).toHaveLength(1)
  })

  it('leave out the summed error of three grid meters, and nothing else', () => {
    expect(flowsOf(powers(0, 80, 70), 90)).toEqual([{ from: 'battery', to: 'house', watts: 70 }])
    expect(flowsOf(powers(100, -80, 0), 90)).toEqual([])
    expect(flowsOf(powers(0, 570, -70), 90)).toContainEqual({ from: 'grid', to: 'battery', watts: 70 })
  })

  it('are unknown when a value is missing', () => {
    expect(flowsOf({ ...powers(1_000, 200, 0), grid: null, house: null })).toEqual([])
  })

  it("divide the house's load by source", () => {
    const shares = sharesOfHouse(flowsOf(powers(250, 250, 500)))
    expect(shares).toEqual({ pv: 0.25, battery: 0.5, grid: 0.25 })
    expect(sharesOfHouse([])).toEqual({ pv: 0, battery: 0, grid: 0 })
  })

  it('have six speeds', () => {
    expect([31, 260, 800, 1_900, 4_000, 8_000, 90_000].map(speedOf)).toEqual([0, 1, 2, 3, 4, 5, 5])
  })
})
