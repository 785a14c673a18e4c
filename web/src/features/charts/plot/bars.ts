/** Energies as bars, drawn by hand: uPlot's own take twenty times as long for a year. */
import type uPlot from 'uplot'
import type { Series } from '../model/series'
import type { Stretch } from '../model/stretch'
import type { PlotTheme } from './theme'

/** How much of a step the bars of all series take together. */
const FILL = 0.8

/** Draws the sources side by side within each step, what is below zero hatched under what is above it. */
export function drawBars(
  plot: uPlot,
  series: readonly Series[],
  steps: readonly Stretch[],
  theme: PlotTheme,
) {
  const bars = series.flatMap((one, place) => (one.unit === 'energy' ? [{ one, place: place + 1 }] : []))
  if (bars.length === 0) return
  const slots = [...new Set(bars.map(({ one }) => one.colour))]
  const { ctx, bbox } = plot
  const zero = plot.valToPos(0, 'energy', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { one, place } of bars) {
    const values = plot.data[place] ?? []
    const slot = slots.indexOf(one.colour)
    ctx.fillStyle = one.below ? hatching(ctx, theme[one.colour]) : theme[one.colour]
    for (const [step, [from, to]] of steps.entries()) {
      const value = values[step]
      if (value === null || value === undefined || value === 0) continue
      const left = plot.valToPos(from, 'x', true)
      const right = plot.valToPos(to, 'x', true)
      const width = ((right - left) * FILL) / slots.length
      const top = plot.valToPos(value, 'energy', true)
      const x = left + ((right - left) * (1 - FILL)) / 2 + slot * width
      ctx.fillRect(x, Math.min(zero, top), Math.max(1, width - 1), Math.abs(zero - top))
    }
  }
  ctx.restore()
}

function hatching(ctx: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas')
  tile.width = 6
  tile.height = 6
  const brush = tile.getContext('2d')
  if (!brush) return colour
  brush.globalAlpha = 0.35
  brush.fillStyle = colour
  brush.fillRect(0, 0, 6, 6)
  brush.globalAlpha = 1
  brush.strokeStyle = colour
  brush.lineWidth = 2
  brush.beginPath()
  for (const offset of [-6, 0, 6]) {
    brush.moveTo(offset, 6)
    brush.lineTo(offset + 6, 0)
  }
  brush.stroke()
  return ctx.createPattern(tile, 'repeat') ?? colour
}
