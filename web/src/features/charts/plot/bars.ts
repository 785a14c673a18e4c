/** Energies as bars, drawn by hand: uPlot's own take twenty times as long for a year. */
import type uPlot from 'uplot'
import type { Series } from '../model/series'
import type { PlotTheme } from './theme'

/** How much of a step the bars of all series take together. */
const FILL = 0.8

/** Draws the energies side by side within each step, those below zero hatched. */
export function drawBars(plot: uPlot, series: readonly Series[], theme: PlotTheme) {
  const bars = series.flatMap((one, place) => (one.unit === 'energy' ? [{ one, place: place + 1 }] : []))
  if (bars.length === 0) return
  const [time] = plot.data
  const { ctx, bbox } = plot
  const zero = plot.valToPos(0, 'energy', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  bars.forEach(({ one, place }, slot) => {
    const values = plot.data[place] ?? []
    ctx.fillStyle = one.below ? hatching(ctx, theme[one.colour]) : theme[one.colour]
    for (let step = 0; step < time.length; step += 1) {
      const value = values[step]
      if (value === null || value === undefined || value === 0) continue
      const left = plot.valToPos(time[step] ?? 0, 'x', true)
      const right = plot.valToPos(endOf(time, step), 'x', true)
      const width = ((right - left) * FILL) / bars.length
      const top = plot.valToPos(value, 'energy', true)
      const x = left + ((right - left) * (1 - FILL)) / 2 + slot * width
      ctx.fillRect(x, Math.min(zero, top), Math.max(1, width - 1), Math.abs(zero - top))
    }
  })
  ctx.restore()
}

/** A step ends where the next one begins; the last is as long as the one before it. */
function endOf(time: ArrayLike<number>, step: number): number {
  const at = time[step] ?? 0
  return time[step + 1] ?? at + (at - (time[step - 1] ?? at - 3_600))
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
