import type uPlot from 'uplot'
import { textScale } from '@/lib/text-scale'
import { FONT, type PlotTheme } from './theme'

/** Marks the current time, in seconds, in charts that extend beyond it. */
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
  const size = 11 * textScale() * ratio
  ctx.font = `${size}px ${FONT}`
  const room = bbox.left + bbox.width - x > 5.5 * size
  ctx.textAlign = room ? 'left' : 'right'
  ctx.fillText(label, x + (room ? 6 : -6) * ratio, bbox.top + size)
  ctx.restore()
}
