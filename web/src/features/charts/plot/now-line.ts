import type uPlot from 'uplot'
import { FONT, type PlotTheme } from './theme'

/** Where the present is, in seconds, in a chart that reaches beyond it. */
export function drawNow(plot: uPlot, now: number, label: string, { muted, text }: PlotTheme) {
  const { min, max } = plot.scales.x ?? {}
  if (min == null || max == null || now <= min || now >= max) return
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const x = Math.round(plot.valToPos(now, 'x', true))
  ctx.save()
  ctx.strokeStyle = muted
  ctx.lineWidth = ratio
  ctx.setLineDash([2 * ratio, 3 * ratio])
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.fillStyle = text
  ctx.font = `${11 * ratio}px ${FONT}`
  const room = bbox.left + bbox.width - x > 60 * ratio
  ctx.textAlign = room ? 'left' : 'right'
  ctx.fillText(label, x + (room ? 6 : -6) * ratio, bbox.top + 11 * ratio)
  ctx.restore()
}
