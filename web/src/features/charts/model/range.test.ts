import { describe, expect, it } from 'vitest'
import { clampRange, joinRanges, panRange, parseRange, serialiseRange, zoomRange } from './range'

const DAY = [0, 86_400] as const

describe('the visible range', () => {
  it('zooms around its middle, or around a fixed moment', () => {
    expect(zoomRange(DAY, 0.5)).toEqual([21_600, 64_800])
    expect(zoomRange(DAY, 0.5, 0)).toEqual([0, 43_200])
  })

  it('pans by a fraction of its length', () => {
    expect(panRange([3_600, 7_200], -0.5)).toEqual([1_800, 5_400])
  })

  it('stays within the day', () => {
    expect(clampRange([-3_600, 3_600], DAY)).toEqual([0, 7_200])
    expect(clampRange([82_800, 90_000], DAY)).toEqual([79_200, 86_400])
  })

  it('is null as soon as the whole day is visible', () => {
    expect(clampRange([-10, 90_000], DAY)).toBeNull()
    expect(clampRange(DAY, DAY)).toBeNull()
  })

  it('is at least five minutes long', () => {
    expect(clampRange([1_000, 1_010], DAY)).toEqual([855, 1_155])
  })
})

it('days of several time zones are joined from the first midnight to the last', () => {
  expect(joinRanges([DAY, [-3_600, 82_800]])).toEqual([-3_600, 86_400])
})

describe('the range in the address', () => {
  it('is read as it was written', () => {
    expect(parseRange(serialiseRange([1_781_733_600.4, 1_781_740_800.2]))).toEqual([
      1_781_733_600, 1_781_740_800,
    ])
  })

  it.each(['', '5', '9_5', '5_5', 'a_b', '-5_9', 5, undefined])('%s is no range', (text) => {
    expect(parseRange(text)).toBeNull()
  })
})
