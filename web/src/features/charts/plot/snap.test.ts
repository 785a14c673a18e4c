import type uPlot from 'uplot'
import { describe, expect, it } from 'vitest'
import { snapToPoint } from './snap'

/** A plot of 45 px with a point every 10 px, the first one left of the visible range. */
const plotWith = (event?: Partial<MouseEvent>, special: object = {}) =>
  ({
    data: [[0, 1, 2, 3, 4, 5]],
    over: { clientWidth: 45 },
    cursor: { event },
    valToPos: (value: number) => value * 10 - 10,
    posToIdx: (left: number) => Math.min(5, Math.max(0, Math.round((left + 10) / 10))),
    ...special,
  }) as unknown as uPlot

describe('the cursor of a chart', () => {
  it.each([
    [0, 0],
    [7, 10],
    [14, 10],
    [43, 40],
  ])('at %d px snaps to the nearest point, at %d px', (left, expected) => {
    expect(snapToPoint(plotWith(), left, 5)).toEqual([expected, 5])
  })

  it('stays hidden after it has left the chart', () => {
    expect(snapToPoint(plotWith(), -10, -10)).toEqual([-10, -10])
  })

  it('does not snap to an invisible point', () => {
    expect(snapToPoint(plotWith(undefined, { posToIdx: () => 0 }), 2, 5)).toEqual([2, 5])
  })

  it('does not snap without points', () => {
    expect(snapToPoint(plotWith(undefined, { data: [[]] }), 2, 5)).toEqual([2, 5])
  })

  it('follows the pointer freely while it selects a range', () => {
    expect(snapToPoint(plotWith({ buttons: 1 }), 7, 5)).toEqual([7, 5])
  })
})
