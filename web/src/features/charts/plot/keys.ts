/** What the keys do while a chart has the focus. */
import type uPlot from 'uplot'
import type { PlotGroup } from './group'

type Press = { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }
type Act = (plot: uPlot, group: PlotGroup) => void

const FAR = 12

const PLAIN: Record<string, Act> = {
  ArrowLeft: (plot) => stepCursor(plot, -1),
  ArrowRight: (plot) => stepCursor(plot, 1),
  PageUp: (plot) => stepCursor(plot, -FAR),
  PageDown: (plot) => stepCursor(plot, FAR),
  Home: (plot) => stepCursor(plot, Number.NEGATIVE_INFINITY),
  End: (plot) => stepCursor(plot, Number.POSITIVE_INFINITY),
  Escape: (plot) => plot.setCursor({ left: -10, top: -10 }),
  '+': (_plot, group) => group.zoom(0.5),
  '=': (_plot, group) => group.zoom(0.5),
  '-': (_plot, group) => group.zoom(2),
  '0': (_plot, group) => group.reset(),
}

const WITH_SHIFT: Record<string, Act> = {
  ArrowLeft: (_plot, group) => group.pan(-0.25),
  ArrowRight: (_plot, group) => group.pan(0.25),
  // Where plus is above another sign, it needs Shift.
  '+': (_plot, group) => group.zoom(0.5),
}

/** Undefined where a key means nothing here and is left to the browser. */
export function keyAct({ key, shiftKey, ctrlKey, metaKey, altKey }: Press): Act | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  return (shiftKey ? WITH_SHIFT : PLAIN)[key]
}

/** To another point of what is visible, beginning at its edge. */
function stepCursor(plot: uPlot, by: number) {
  const time = plot.data[0]
  const [first, last] = plot.series[0]?.idxs ?? [0, time.length - 1]
  const from = plot.cursor.idx ?? (by > 0 ? first - 1 : last + 1)
  const to = Math.min(Math.max(from + by, first), last)
  plot.setCursor({ left: plot.valToPos(time[to] ?? 0, 'x'), top: 0 })
}
