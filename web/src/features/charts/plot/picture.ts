import type uPlot from 'uplot'
import type { Translate } from '@/lib/i18n/use-t'
import type { Series } from '../model/series'
import { FONT, readTheme } from './theme'

const HEAD = 56

/** The chart as a PNG, with a title and the names of its series, on the page's background. */
export function pictureOf(
  plot: uPlot,
  title: string,
  series: readonly Series[],
  t: Translate,
): Promise<Blob | null> {
  const theme = readTheme()
  const { canvas } = plot.ctx
  const ratio = devicePixelRatio
  const picture = document.createElement('canvas')
  picture.width = canvas.width
  picture.height = canvas.height + HEAD * ratio
  const brush = picture.getContext('2d')
  if (!brush) return Promise.resolve(null)
  brush.fillStyle = theme.surface
  brush.fillRect(0, 0, picture.width, picture.height)
  brush.scale(ratio, ratio)
  brush.fillStyle = theme.text
  brush.font = `600 15px ${FONT}`
  brush.fillText(title, 16, 22)
  brush.font = `12px ${FONT}`
  let x = 16
  for (const { label, colour } of series) {
    const name = t(label)
    brush.fillStyle = theme[colour]
    brush.fillRect(x, 38, 12, 3)
    brush.fillStyle = theme.text
    brush.fillText(name, x + 18, 44)
    x += brush.measureText(name).width + 36
  }
  brush.setTransform(1, 0, 0, 1, 0, 0)
  brush.drawImage(canvas, 0, HEAD * ratio)
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'))
}
