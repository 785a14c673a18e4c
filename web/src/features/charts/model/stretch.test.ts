import { describe, expect, it } from 'vitest'
import { joined, panned, readStretch, stretchText, within, zoomed } from './stretch'

const DAY = [0, 86_400] as const

describe('what is shown of a day', () => {
  it('comes closer around its middle, or around a moment that stays in its place', () => {
    expect(zoomed(DAY, 0.5)).toEqual([21_600, 64_800])
    expect(zoomed(DAY, 0.5, 0)).toEqual([0, 43_200])
  })

  it('moves by a part of itself', () => {
    expect(panned([3_600, 7_200], -0.5)).toEqual([1_800, 5_400])
  })

  it('never leaves the day', () => {
    expect(within([-3_600, 3_600], DAY)).toEqual([0, 7_200])
    expect(within([82_800, 90_000], DAY)).toEqual([79_200, 86_400])
  })

  it('is the whole day, which has no zoom, as soon as all of it is asked for', () => {
    expect(within([-10, 90_000], DAY)).toBeNull()
    expect(within(DAY, DAY)).toBeNull()
  })

  it('is never shorter than five minutes', () => {
    expect(within([1_000, 1_010], DAY)).toEqual([855, 1_155])
  })
})

it('days of several zones are shown from the first midnight to the last', () => {
  expect(joined([DAY, [-3_600, 82_800]])).toEqual([-3_600, 86_400])
})

describe('in the address', () => {
  it('is read as it was written', () => {
    expect(readStretch(stretchText([1_781_733_600.4, 1_781_740_800.2]))).toEqual([
      1_781_733_600, 1_781_740_800,
    ])
  })

  it.each(['', '5', '9_5', '5_5', 'a_b', '-5_9', 5, undefined])('%s is no stretch of time', (text) => {
    expect(readStretch(text)).toBeNull()
  })
})
