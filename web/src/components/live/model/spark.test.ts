import { describe, expect, it } from 'vitest'
import type { Graph } from '@/lib/data/charts'
import { extremesOf, sparkPaths, withCurrentValue } from './spark'

describe('the sparkline of a card', () => {
  it('spans its box from the lowest to the highest value', () => {
    expect(sparkPaths([0, 50, 100])).toEqual(['M0.0 30.0L60.0 16.0L120.0 2.0'])
  })

  it('ends with the last value', () => {
    expect(sparkPaths([0, 100, null, null])).toEqual(['M0.0 30.0L120.0 2.0'])
  })

  it('has a gap where nothing was measured', () => {
    expect(sparkPaths([1, 1, null, 1, 1])).toHaveLength(2)
  })

  it('is flat at the bottom for a constant value, and starts at its floor', () => {
    expect(sparkPaths([5, 5])).toEqual(['M0.0 30.0L120.0 30.0'])
    expect(sparkPaths([100, 100], 0)).toEqual(['M0.0 2.0L120.0 2.0'])
  })

  it('is empty without values', () => {
    expect(sparkPaths([])).toEqual([])
    expect(sparkPaths([null, null])).toEqual([])
  })
})

describe('the extremes of a day', () => {
  const graph = { time: [10, 20, 30], series: { m6: [null, 700, 300] } } as unknown as Graph
  it('are its lowest and highest value, and the time of the highest', () => {
    expect(extremesOf(graph, 'm6')).toEqual({ low: 300, high: 700, highAt: 20 })
  })
  it('include the current value, which the quarter-hourly means lack', () => {
    const day = { low: 17, high: 29, highAt: 20 }
    expect(withCurrentValue(day, 31, 40)).toEqual({ low: 17, high: 31, highAt: 40 })
    expect(withCurrentValue(day, 12, 40)).toEqual({ low: 12, high: 29, highAt: 20 })
    expect(withCurrentValue(day, 20, 40)).toEqual(day)
    expect(withCurrentValue(day, null, 40)).toEqual(day)
    expect(withCurrentValue(null, 31, 40)).toBeNull()
  })
  it('are unknown without a value', () => {
    expect(extremesOf(graph, 'm0')).toBeNull()
    expect(extremesOf(undefined, 'm6')).toBeNull()
  })
})
