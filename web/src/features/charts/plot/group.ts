import type uPlot from 'uplot'
import { clampRange, joinRanges, panRange, type TimeRange, zoomRange } from '../model/range'

/** The delay after which zoom and pan count as finished, in ms. */
const SETTLE_DELAY_MS = 250

type Member = { plot: uPlot; whole: TimeRange; name: string }

/** The plots of a chart, one per system, with a common visible range and cursor. */
export class PlotGroup {
  private readonly members = new Set<Member>()
  private shown: TimeRange | null = null
  private settling: ReturnType<typeof setTimeout> | undefined
  private cursorMoves = false

  /** Called after zoom or pan has finished; null is everything. */
  onSettled: (shown: TimeRange | null) => void = () => {}

  /** @returns removes the plot */
  join(plot: uPlot, whole: TimeRange, name: string): () => void {
    const member = { plot, whole, name }
    this.members.add(member)
    this.apply()
    return () => this.members.delete(member)
  }

  /** Shows the range of the address, unless a zoom or pan is in progress. */
  restore(shown: TimeRange | null) {
    if (this.settling !== undefined) return
    this.shown = shown
    this.apply()
  }

  show(range: TimeRange) {
    this.shown = clampRange(range, this.whole)
    this.apply()
    this.stop()
    this.settling = setTimeout(() => {
      this.settling = undefined
      this.onSettled(this.shown)
    }, SETTLE_DELAY_MS)
  }

  /** Cancels pending callbacks, when the page is left. */
  stop() {
    clearTimeout(this.settling)
    this.settling = undefined
  }

  /** Zooms in below 1, out above 1. */
  zoom = (factor: number, around?: number) => this.show(zoomRange(this.visible, factor, around))

  /** Pans by a fraction of the visible range: -0.5 is half a screen back. */
  pan = (part: number) => this.show(panRange(this.visible, part))

  reset = () => this.show(this.whole)

  get isZoomed() {
    return this.shown !== null
  }

  /** From top to bottom. */
  get plots(): readonly Member[] {
    const below = ({ plot: { root } }: Member, other: Member) =>
      root.compareDocumentPosition(other.plot.root) & Node.DOCUMENT_POSITION_PRECEDING
    return [...this.members].sort((one, other) => (below(one, other) ? 1 : -1))
  }

  /** Moves the cursors of the other plots to the same time. */
  moveCursors(from: uPlot) {
    // Prevents recursion: moving a cursor triggers this callback.
    if (this.cursorMoves) return
    this.cursorMoves = true
    const left = from.cursor.left ?? -1
    const moment = from.posToVal(left, 'x')
    for (const { plot } of this.members)
      if (plot !== from) plot.setCursor({ left: left < 0 ? -10 : plot.valToPos(moment, 'x'), top: 0 })
    this.cursorMoves = false
  }

  private get whole(): TimeRange {
    return joinRanges([...this.members].map(({ whole }) => whole))
  }

  /** A range from a link may lie outside of the data. */
  private get visible(): TimeRange {
    return (this.shown && clampRange(this.shown, this.whole)) ?? this.whole
  }

  private apply() {
    if (this.members.size === 0) return
    const [min, max] = this.visible
    for (const { plot } of this.members) plot.setScale('x', { min, max })
  }
}
