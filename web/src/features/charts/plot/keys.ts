/** Keyboard control of a focused chart. */
import type uPlot from 'uplot'
import type { PlotGroup } from './group'

type Press = { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }
type KeyAction = (plot: uPlot, group: PlotGroup) => void

const PAGE_STEP = 12

const PLAIN: Record<string, KeyAction> = {
  ArrowLeft: (plot) => stepCursor(plot, -1),
  ArrowRight: (plot) => stepCursor(plot, 1),
  PageUp: (plot) => stepCursor(plot, -PAGE_STEP),
  PageDown: (plot) => stepCursor(plot, PAGE_STEP),
  Home: (plot) => stepCursor(plot, Number.NEGATIVE_INFINITY),
  End: (plot) => stepCursor(plot, Number.POSITIVE_INFINITY),
  Escape: (plot) => plot.setCursor({ left: -10, top: -10 }),
  '+': (_plot, group) => group.zoom(0.5),
  '=': (_plot, group) => group.zoom(0.5),
  '-': (_plot, group) => group.zoom(2),
  '0': (_plot, group) => group.reset(),
}

const WITH_SHIFT: Record<string, KeyAction> = {
  ArrowLeft: (_plot, group) => group.pan(-0.25),
  ArrowRight: (_plot, group) => group.pan(0.25),
  // Some keyboards need Shift for plus.
  '+': (_plot, group) => group.zoom(0.5),
}

/** Undefined for keys without a function here. */
export function keyAction({ key, shiftKey, ctrlKey, metaKey, altKey }: Press): KeyAction | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  return (shiftKey ? WITH_SHIFT : PLAIN)[key]
}

/** Moves the cursor to another visible point, starting at the edge. */
function stepCursor(plot: uPlot, by: number) {
  const time = plot.data[0]
  const [first, last] = plot.series[0]?.idxs ?? [0, time.length - 1]
  const from = plot.cursor.idx ?? (by > 0 ? first - 1 : last + 1)
  const to = Math.min(Math.max(from + by, first), last)
  plot.setCursor({ left: plot.valToPos(time[to] ?? 0, 'x'), top: 0 })
}
