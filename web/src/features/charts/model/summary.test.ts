import { describe, expect, it } from 'vitest'
import { liveEntry } from '@/lib/testing/live'
import { kindOf, summaryOf } from './summary'

const TODAY = '2026-11-17'
const day = { interval: 'Day', date: TODAY, zoom: null, method: 'mean' } as const
const HOURS = [0, 1, 2, 3].map((hour) => hour * 3_600_000)
const graph = (series: Record<string, (number | null)[]>) => ({ time: HOURS, resolution: 'hour', series })

describe('the values beside the series', () => {
  it('are the current ones for today', () => {
    expect(kindOf(day, TODAY, true)).toBe('now')
  })

  it.each([
    ['a day that is over', { ...day, date: '2026-11-16' }, true],
    ['a month', { ...day, interval: 'Month' }, true],
    ['a part of today', { ...day, zoom: [0, 1] }, true],
    ['a day whose system says nothing now', day, false],
  ] as const)('are means for %s', (_, choice, live) => {
    expect(kindOf(choice, TODAY, live)).toBe('mean')
  })

  it('follow the method of the points', () => {
    expect(kindOf({ ...day, interval: 'Week', method: 'max' }, TODAY, true)).toBe('max')
  })

  it('are the same as on the cards', () => {
    const live = liveEntry({ PV_power: 370, battery_power: -110, SOC: 41 })
    const last = graph({ m6: [1, 440], m1: [1, 300], m3: [1, 40] })
    const now = (code: string) => summaryOf(last, { code, unit: 'power' }, { kind: 'now', zoom: null, live })
    expect([now('m6'), now('m1'), now('m3')]).toEqual([370, -110, 41])
  })

  it.each([
    ['mean', 20],
    ['min', 10],
    ['max', 30],
    ['sum', 60],
  ] as const)('of a power are its %s, without gaps', (kind, expected) => {
    const power = graph({ m6: [10, null, 20, 30] })
    expect(summaryOf(power, { code: 'm6', unit: 'power' }, { kind, zoom: null })).toBe(expected)
  })

  it('of a mean are weighted by the steps’ lengths', () => {
    const days = {
      time: [0, 1, 3].map((n) => n * 86_400_000),
      resolution: 'day',
      series: { m6: [30, 60, 0] },
    }
    expect(summaryOf(days, { code: 'm6', unit: 'power' }, { kind: 'mean', zoom: null })).toBe(30)
  })

  it.each(['now', 'mean', 'max'] as const)('of an energy are its total, also where powers are %s', (kind) => {
    const energy = graph({ m2N: [-100, null, -300, -50] })
    expect(summaryOf(energy, { code: 'm2N', unit: 'energy' }, { kind, zoom: null })).toBe(-450)
  })

  it('cover the visible range', () => {
    const energy = graph({ m4: [100, 200, 400, 800] })
    expect(summaryOf(energy, { code: 'm4', unit: 'energy' }, { kind: 'mean', zoom: [3_600, 10_800] })).toBe(
      600,
    )
  })

  it('are missing if nothing was measured', () => {
    expect(
      summaryOf(graph({ m6: [null] }), { code: 'm6', unit: 'power' }, { kind: 'mean', zoom: null }),
    ).toBeNull()
    expect(summaryOf(undefined, { code: 'm4', unit: 'energy' }, { kind: 'now', zoom: null })).toBeNull()
  })
})
