/** Zoom and pan by touch, wheel and Shift-drag. uPlot itself handles dragging with a mouse. */
import type uPlot from 'uplot'
import type { PlotGroup } from './group'

/** Below this distance of two fingers, small movements would zoom too much. In pixels. */
const MIN_SPREAD = 24
/** The zoom factor per pixel of wheel movement. */
const ZOOM_PER_PIXEL = 1.002

/** @returns removes the listeners */
export function bindGestures(plot: uPlot, group: PlotGroup): () => void {
  const { over } = plot
  const ending = new AbortController()
  const { signal } = ending
  /** The x position of each finger, or of a mouse with Shift. */
  const fingers = new Map<number, number>()

  const leftOf = (clientX: number) => clientX - over.getBoundingClientRect().left

  const onDown = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && !(event.shiftKey && event.button === 0)) return
    fingers.set(event.pointerId, event.clientX)
    over.setPointerCapture(event.pointerId)
  }

  const onMove = (event: PointerEvent) => {
    if (!fingers.has(event.pointerId)) return
    const before = [...fingers.values()]
    fingers.set(event.pointerId, event.clientX)
    const after = [...fingers.values()]
    if (after.length > 1) pinch(before, after)
    else if (group.isZoomed) drag(before, after)
    else plot.setCursor({ left: leftOf(event.clientX), top: 0 })
  }

  const drag = (before: number[], after: number[]) =>
    group.pan((middle(before) - middle(after)) / over.clientWidth)

  const pinch = (before: number[], after: number[]) => {
    const factor = spread(before) / spread(after)
    group.zoom(factor, plot.posToVal(leftOf(middle(before)), 'x'))
    drag(before, after)
  }

  const onUp = ({ pointerId }: PointerEvent) => fingers.delete(pointerId)

  const onWheel = (event: WheelEvent) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY)
    // A plain wheel scrolls the page. Trackpads send pinches as a wheel with Ctrl.
    if (event.ctrlKey || event.metaKey)
      group.zoom(ZOOM_PER_PIXEL ** event.deltaY, plot.posToVal(leftOf(event.clientX), 'x'))
    else if (sideways && group.isZoomed) group.pan(event.deltaX / over.clientWidth)
    else return
    event.preventDefault()
  }

  // Vertical gestures still scroll the page.
  over.style.touchAction = 'pan-y'
  over.addEventListener('pointerdown', onDown, { signal })
  over.addEventListener('pointermove', onMove, { signal })
  over.addEventListener('pointerup', onUp, { signal })
  over.addEventListener('pointercancel', onUp, { signal })
  over.addEventListener('wheel', onWheel, { signal, passive: false })
  return () => ending.abort()
}

const middle = (places: number[]) => (Math.min(...places) + Math.max(...places)) / 2
const spread = (places: number[]) => Math.max(MIN_SPREAD, Math.max(...places) - Math.min(...places))
