import { describe, expect, it } from 'vitest'
import { mostOf, peaksOf } from './words'

const HOURS = [0, 1, 2, 3].map((hour) => hour * 3_600_000)
const graph = (values: (number | null)[]) => ({ time: HOURS, resolution: 'hour', series: { m6: values } })
const PV = { code: 'm6', unit: 'power' } as const

describe('a chart in words', () => {
  it('has minimum and maximum with their times, the earliest of equal values', () => {
    const reach = peaksOf(graph([0, 0, 2_400, 2_400]), PV, null)
    expect(reach?.low).toMatchObject({ value: 0, at: HOURS[0] })
    expect(reach?.high).toMatchObject({ value: 2_400, at: HOURS[2] })
    expect(reach).toMatchObject({ mean: 1_200, total: 4_800 })
  })

  it('distinguishes charging from discharging', () => {
    const reach = peaksOf(graph([-1_500, null, 0, 900]), PV, null)
    expect([reach?.low.value, reach?.high.value]).toEqual([-1_500, 900])
  })

  it('covers the visible range', () => {
    expect(peaksOf(graph([9, 1, 2, 9]), PV, [3_600, 10_800])).toMatchObject({ high: { value: 2 }, total: 3 })
  })

  it('is empty if nothing was measured', () => {
    expect(peaksOf(graph([null, null, null, null]), PV, null)).toBeNull()
  })

  it('names the largest amount of the bars', () => {
    expect(mostOf([null, 300, 700, 200])).toEqual({ amount: 700, place: 2 })
    expect(mostOf([null, 0, 49])).toBeNull()
  })
})
