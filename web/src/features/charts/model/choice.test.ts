import { describe, expect, it } from 'vitest'
import {
  choiceOf,
  isGrowing,
  readChartSearch,
  stepDate,
  systemsOf,
  withDate,
  withInterval,
  withSystem,
  withToggled,
  withZoom,
} from './choice'

const TODAY = '2026-11-15'

describe('the address of a chart', () => {
  it('keeps valid values and ignores the others', () => {
    const raw = {
      sn: -1,
      range: 'Week',
      date: '2026-11-31',
      series: 'm6,nonsense,m0',
      resolution: 'month',
      method: 'max',
      view: 'picture',
    }
    expect(readChartSearch(raw)).toEqual({ sn: '-1', range: 'Week', series: 'm6,m0', method: 'max' })
  })

  it('is empty for the default chart: today with the sun’s forecast, in quarters, as means', () => {
    expect(choiceOf(readChartSearch({}), TODAY)).toEqual({
      interval: 'Day',
      date: TODAY,
      series: ['m6', 'm8', 'm1', 'm0', 'm3', 'ef'],
      resolution: 'quarter',
      method: 'mean',
      before: null,
      zoom: null,
      table: false,
    })
  })

  it('shows energies for months and years by default', () => {
    expect(choiceOf({ range: 'Year' }, TODAY)).toMatchObject({
      series: ['m4', 'm2', 'm2N', 'm5', 'm5N'],
      resolution: 'month',
    })
  })

  it('can have no series', () => {
    expect(choiceOf(readChartSearch({ series: '' }), TODAY).series).toEqual([])
  })
})

describe('a chart', () => {
  const day = choiceOf({}, TODAY)

  it('adds and removes a series', () => {
    expect(withToggled({}, day, 'm7').series).toBe('m6,m8,m1,m0,m3,m7,ef')
    expect(withToggled({}, day, 'm0').series).toBe('m6,m8,m1,m3,ef')
  })

  it('keeps its date when the interval changes', () => {
    const search = { range: 'Day', date: '2026-06-18', resolution: 'minute', series: 'm6' } as const
    expect(withInterval(search, 'Year')).toEqual({ range: 'Year', date: '2026-06-18' })
  })

  it('steps back and forth, and into the future only as far as forecasts go', () => {
    expect(stepDate(day, -1, TODAY)).toBe('2026-11-14')
    expect(stepDate(day, 1, TODAY)).toBe('2026-11-16')
    expect(stepDate({ ...day, date: '2026-11-17' }, 1, TODAY)).toBeNull()
    expect(stepDate({ ...day, interval: 'Week' }, 1, TODAY)).toBeNull()
    expect(stepDate({ ...day, interval: 'Week', date: '2026-11-05' }, 1, TODAY)).toBe('2026-11-12')
    expect(stepDate({ ...day, interval: 'Week', date: '2026-11-12' }, 1, TODAY)).toBe(TODAY)
    expect(stepDate({ ...day, interval: 'Month', date: '2026-10-20' }, 1, TODAY)).toBe('2026-11-01')
  })

  it('has no default forecast for a past day', () => {
    expect(choiceOf({ date: '2026-11-14' }, TODAY).series).toEqual(['m6', 'm8', 'm1', 'm0', 'm3'])
  })

  it('keeps its comparison where it is possible', () => {
    expect(readChartSearch({ before: 'week' })).toEqual({ before: 'week' })
    expect(readChartSearch({ range: 'Month', before: 'week' })).toEqual({ range: 'Month' })
    expect(choiceOf({ before: 'day' }, TODAY).before).toBe('day')
    expect(withInterval({ before: 'week' }, 'Week')).toEqual({ range: 'Week', before: 'week' })
    expect(withInterval({ before: 'week' }, 'Month')).toEqual({ range: 'Month' })
    expect(withDate({ before: 'year' }, '2026-06-18')).toEqual({ before: 'year', date: '2026-06-18' })
  })

  it('shows forecasts of a future day', () => {
    expect(choiceOf({ date: '2026-11-16' }, TODAY).series).toEqual(['ef', 'lf'])
    expect(choiceOf({ date: '2026-11-16', series: 'm3' }, TODAY).series).toEqual(['m3'])
  })

  it('keeps its zoom until its period changes', () => {
    const search = withZoom({ series: 'm6' }, [1_781_733_600, 1_781_740_800])
    expect(choiceOf(readChartSearch(search), TODAY).zoom).toEqual([1_781_733_600, 1_781_740_800])
    expect(withToggled(search, day, 'm7').zoom).toBe('1781733600_1781740800')
    expect(withDate(search, '2026-06-18')).toEqual({ series: 'm6', date: '2026-06-18' })
    expect(withInterval(search, 'Week')).toEqual({ range: 'Week' })
    expect(withZoom(search, null)).toEqual({ series: 'm6' })
  })

  it('grows while its period is not over', () => {
    expect(isGrowing({ ...day, interval: 'Week' }, TODAY)).toBe(true)
    expect(isGrowing({ ...day, interval: 'Week', date: '2026-11-14' }, TODAY)).toBe(false)
    expect(isGrowing({ ...day, interval: 'Month', date: '2026-11-09' }, TODAY)).toBe(true)
    expect(isGrowing({ ...day, date: '2026-11-14' }, TODAY)).toBe(false)
  })
})

describe('several systems', () => {
  const choices = ['-1', 'SC1', 'SC2', '12345678']

  it('are the selected one and those beside it, without duplicates and unknown ones', () => {
    expect(systemsOf({}, 'SC2', choices)).toEqual(['SC2'])
    expect(systemsOf({ with: 'SC2,SC1,SC2,SC9,-1' }, 'SC2', choices)).toEqual(['-1', 'SC1', 'SC2'])
  })

  it('are in the address, also if one is a number', () => {
    expect(readChartSearch({ sn: -1, with: 12_345_678 })).toEqual({ sn: '-1', with: '12345678' })
  })

  it('can be added and removed, but the last one stays', () => {
    expect(withSystem({ range: 'Week' }, ['SC1'], 'SC2')).toEqual({ range: 'Week', sn: 'SC1', with: 'SC2' })
    expect(withSystem({ sn: 'SC1', with: 'SC2' }, ['SC1', 'SC2'], 'SC1')).toEqual({ sn: 'SC2' })
    expect(withSystem({ sn: 'SC1' }, ['SC1'], 'SC1')).toEqual({ sn: 'SC1' })
  })
})
