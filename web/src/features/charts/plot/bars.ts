/** Energies as bars, drawn without uPlot's bars, which take twenty times as long for a year. */
import type uPlot from 'uplot'
import type { TimeRange } from '../model/range'
import type { Series } from '../model/series'
import type { PlotTheme } from './theme'

/** The share of a step that its bars fill. */
const BAR_WIDTH_SHARE = 0.8

/** The faded colour of a compared series. */
export const fade = (colour: string) => `${colour}80`

type Bars = {
  series: readonly Series[]
  /** The compared series: faded, at the left. */
  compared: readonly Series[]
  steps: readonly TimeRange[]
  theme: PlotTheme
}

/** Draws the series side by side within each step; values below zero are hatched. */
export function drawBars(plot: uPlot, { series, compared, steps, theme }: Bars) {
  const bars = [...series, ...compared].flatMap((one, place) =>
    one.unit === 'energy' ? [{ one, place: place + 1, before: place >= series.length }] : [],
  )
  if (bars.length === 0) return
  const shares = compared.length > 0 ? 2 : 1
  const slots = [...new Set(bars.map(({ one }) => one.colour))]
  const { ctx, bbox } = plot
  const zero = plot.valToPos(0, 'energy', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { one, place, before } of bars) {
    const values = plot.data[place] ?? []
    const slot = slots.indexOf(one.colour)
    const colour = before ? fade(theme[one.colour]) : theme[one.colour]
    ctx.fillStyle = one.below ? hatching(ctx, colour) : colour
    for (const [step, [from, to]] of steps.entries()) {
      const value = values[step]
      if (value === null || value === undefined || value === 0) continue
      const left = plot.valToPos(from, 'x', true)
      const right = plot.valToPos(to, 'x', true)
      const room = ((right - left) * BAR_WIDTH_SHARE) / slots.length
      const width = room / shares
      const top = plot.valToPos(value, 'energy', true)
      const x =
        left + ((right - left) * (1 - BAR_WIDTH_SHARE)) / 2 + slot * room + (before ? 0 : room - width)
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
