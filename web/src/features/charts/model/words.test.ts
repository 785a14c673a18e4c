import { describe, expect, it } from 'vitest'
import { mostOf, reachOf } from './words'

const HOURS = [0, 1, 2, 3].map((hour) => hour * 3_600_000)
const graph = (values: (number | null)[]) => ({ time: HOURS, resolution: 'hour', series: { m6: values } })
const PV = { code: 'm6', unit: 'power' } as const

describe('a chart in words', () => {
  it('says how far a series reaches and when, whichever comes first of equal values', () => {
    const reach = reachOf(graph([0, 0, 2_400, 2_400]), PV, null)
    expect(reach?.low).toMatchObject({ value: 0, at: HOURS[0] })
    expect(reach?.high).toMatchObject({ value: 2_400, at: HOURS[2] })
    expect(reach).toMatchObject({ mean: 1_200, total: 4_800 })
  })

  it('tells charging from discharging', () => {
    const reach = reachOf(graph([-1_500, null, 0, 900]), PV, null)
    expect([reach?.low.value, reach?.high.value]).toEqual([-1_500, 900])
  })

  it('is about what is visible', () => {
    expect(reachOf(graph([9, 1, 2, 9]), PV, [3_600, 10_800])).toMatchObject({ high: { value: 2 }, total: 3 })
  })

  it('says nothing where nothing was measured', () => {
    expect(reachOf(graph([null, null, null, null]), PV, null)).toBeNull()
  })

  it('names the largest amount of the bars', () => {
    expect(mostOf([null, 300, 700, 200])).toEqual({ amount: 700, place: 2 })
    expect(mostOf([null, 0, 49])).toBeNull()
  })
})
