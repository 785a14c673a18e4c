import type uPlot from 'uplot'
import { joined, panned, type Stretch, within, zoomed } from '../model/stretch'

/** Zoom and pan are over when nothing came for this long. */
const SETTLES_AFTER = 250

type Member = { plot: uPlot; whole: Stretch; name: string }

/** The plots of a chart, one per system: they show the same stretch of time and have their cursor at the same moment. */
export class PlotGroup {
  private readonly members = new Set<Member>()
  private shown: Stretch | null = null
  private settling: ReturnType<typeof setTimeout> | undefined
  private cursorMoves = false

  /** Told what is shown when a zoom or pan is over; null is all of it. */
  onSettled: (shown: Stretch | null) => void = () => {}

  /** @returns what takes the plot out again */
  join(plot: uPlot, whole: Stretch, name: string): () => void {
    const member = { plot, whole, name }
    this.members.add(member)
    this.apply()
    return () => this.members.delete(member)
  }

  /** Shows what the address says, unless somebody is just about to change that. */
  restore(shown: Stretch | null) {
    if (this.settling !== undefined) return
    this.shown = shown
    this.apply()
  }

  show(wish: Stretch) {
    this.shown = within(wish, this.whole)
    this.apply()
    this.stop()
    this.settling = setTimeout(() => {
      this.settling = undefined
      this.onSettled(this.shown)
    }, SETTLES_AFTER)
  }

  /** Tells nothing more of what was shown last: the page has been left. */
  stop() {
    clearTimeout(this.settling)
    this.settling = undefined
  }

  /** Below 1 closer, above 1 further away. */
  zoom = (factor: number, around?: number) => this.show(zoomed(this.visible, factor, around))

  /** By a part of what is visible: -0.5 is half a screen back. */
  pan = (part: number) => this.show(panned(this.visible, part))

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

  /** Brings the cursors of the others to the moment of this one. */
  moveCursors(from: uPlot) {
    // Moving a cursor tells of it, which comes back here.
    if (this.cursorMoves) return
    this.cursorMoves = true
    const left = from.cursor.left ?? -1
    const moment = from.posToVal(left, 'x')
    for (const { plot } of this.members)
      if (plot !== from) plot.setCursor({ left: left < 0 ? -10 : plot.valToPos(moment, 'x'), top: 0 })
    this.cursorMoves = false
  }

  private get whole(): Stretch {
    return joined([...this.members].map(({ whole }) => whole))
  }

  /** What a link says may lie outside of what there is. */
  private get visible(): Stretch {
    return (this.shown && within(this.shown, this.whole)) ?? this.whole
  }

  private apply() {
    if (this.members.size === 0) return
    const [min, max] = this.visible
    for (const { plot } of this.members) plot.setScale('x', { min, max })
  }
}
