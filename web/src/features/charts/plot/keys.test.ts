import type uPlot from 'uplot'
import { describe, expect, it, vi } from 'vitest'
import type { PlotGroup } from './group'
import { keyAction } from './keys'

const press = (key: string, held: Partial<KeyboardEvent> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
})

/** A plot of five points 10 px apart, of which the second to the fourth are visible. */
const plotAt = (idx: number | null) => {
  const setCursor = vi.fn()
  const plot = {
    data: [[0, 1, 2, 3, 4]],
    series: [{ idxs: [1, 3] }],
    cursor: { idx },
    valToPos: (value: number) => value * 10,
    setCursor,
  }
  return { plot: plot as unknown as uPlot, setCursor }
}
const noGroup = {} as PlotGroup

describe('on a chart, the keyboard', () => {
  it.each([
    ['ArrowRight', 2, 30],
    ['ArrowLeft', 2, 10],
    ['ArrowRight', 3, 30],
    ['ArrowRight', null, 10],
    ['ArrowLeft', null, 30],
    ['Home', 3, 10],
    ['End', null, 30],
    ['PageDown', 1, 30],
  ])('%s moves the cursor from point %s to %d px and never out of sight', (key, from, left) => {
    const { plot, setCursor } = plotAt(from)
    keyAction(press(key))?.(plot, noGroup)
    expect(setCursor).toHaveBeenCalledExactlyOnceWith({ left, top: 0 })
  })

  it('zooms with plus and minus, pans with Shift, and shows everything with 0', () => {
    const group = { zoom: vi.fn(), pan: vi.fn(), reset: vi.fn() }
    const { plot } = plotAt(2)
    const held = { shiftKey: true }
    for (const key of [press('+'), press('-'), press('ArrowRight', held), press('0')])
      keyAction(key)?.(plot, group as unknown as PlotGroup)
    expect(group.zoom.mock.calls).toEqual([[0.5], [2]])
    expect(group.pan.mock.calls).toEqual([[0.25]])
    expect(group.reset).toHaveBeenCalledOnce()
  })

  it('ignores other keys and the browser’s shortcuts', () => {
    for (const other of [
      press('Tab'),
      press('a'),
      press('+', { ctrlKey: true }),
      press('Home', { shiftKey: true }),
    ])
      expect(keyAction(other)).toBeUndefined()
  })
})
