import type uPlot from 'uplot'
import type { Translate } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'
import type { PlotGroup } from './group'
import { FONT, type PlotTheme, readTheme } from './theme'

const EDGE = 16
const TITLE = 32
const LEGEND_LINE = 20
const NAME = 24

/** Renders the chart as a PNG: title, legend, and the plot of each system. */
export function pictureOf(
  group: PlotGroup,
  title: string,
  series: readonly Series[],
  t: Translate,
): Promise<Blob | null> {
  const { plots } = group
  const [first] = plots
  const picture = document.createElement('canvas')
  const brush = picture.getContext('2d')
  if (!first || !brush) return Promise.resolve(null)
  const theme = readTheme()
  const ratio = devicePixelRatio
  const width = first.plot.width
  const names = plots.length > 1 ? NAME : 0
  brush.font = `12px ${FONT}`
  const legend = legendOf(brush, series, width, t)
  const head = TITLE + legend.height
  // Resizing a canvas clears it and resets its font.
  picture.width = width * ratio
  picture.height = (head + plots.reduce((sum, { plot }) => sum + names + plot.height, 0)) * ratio
  brush.scale(ratio, ratio)
  brush.fillStyle = theme.surface
  brush.fillRect(0, 0, picture.width, picture.height)
  write(brush, title, 22, theme, '600 15px')
  drawLegend(brush, legend.entries, theme)
  let top = head
  for (const { plot, name } of plots) {
    if (names > 0) write(brush, name, top + 16, theme, '600 13px')
    drawPlot(brush, plot, top + names)
    top += names + plot.height
  }
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'))
}

type Context = CanvasRenderingContext2D
type Entry = { name: string; colour: Series['colour']; x: number; y: number }

/** Wraps the legend to the picture's width. */
function legendOf(brush: Context, series: readonly Series[], width: number, t: Translate) {
  const entries: Entry[] = []
  let [x, y] = [EDGE, TITLE + 12]
  for (const { label, colour } of series) {
    const name = t(label)
    const room = brush.measureText(name).width + 36
    if (x > EDGE && x + room > width) [x, y] = [EDGE, y + LEGEND_LINE]
    entries.push({ name, colour, x, y })
    x += room
  }
  return { entries, height: y - TITLE + 12 }
}

function drawLegend(brush: Context, entries: readonly Entry[], theme: PlotTheme) {
  brush.font = `12px ${FONT}`
  for (const { name, colour, x, y } of entries) {
    brush.fillStyle = theme[colour]
    brush.fillRect(x, y - 6, 12, 3)
    brush.fillStyle = theme.text
    brush.fillText(name, x + 18, y)
  }
}

function write(brush: Context, text: string, y: number, { text: colour }: PlotTheme, weight: string) {
  brush.fillStyle = colour
  brush.font = `${weight} ${FONT}`
  brush.fillText(text, EDGE, y)
}

const drawPlot = (brush: Context, { ctx: { canvas }, width, height }: uPlot, top: number) =>
  brush.drawImage(canvas, 0, top, width, height)
