/** What uPlot is told: scales, axes and lines of the chosen series. */
import uPlot from 'uplot'
import { formatNumber, formatTick, formatTime } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import type { Series, Unit } from '../model/series'
import { drawBars } from './bars'
import { drawNow } from './now-line'
import { FONT, type PlotTheme } from './theme'

export type PlotSettings = {
  series: readonly Series[]
  theme: PlotTheme
  locale: Locale
  timeZone: string
  nowLabel: string
  width: number
  height: number
  onCursor: (place: number | null) => void
}

/** kW and kWh on the axis, from W and Wh in the data. */
const PER_UNIT: Record<Unit, { divisor: number; unit: string }> = {
  power: { divisor: 1_000, unit: 'kW' },
  energy: { divisor: 1_000, unit: 'kWh' },
  percent: { divisor: 1, unit: '%' },
  voltage: { divisor: 1, unit: 'V' },
}

const NARROW = 560
const DAY = 86_400

export function optionsOf(settings: PlotSettings): uPlot.Options {
  const { series, theme, timeZone, nowLabel, width, height, onCursor } = settings
  const units = unitsOf(series)
  return {
    width,
    height,
    padding: [14, units.length > 1 ? 0 : 12, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, dist: 8 },
      points: {
        size: (_plot, place) => (series[place - 1]?.unit === 'energy' ? 0 : 7),
        fill: (_plot, place) => theme[series[place - 1]?.colour ?? 'home'],
        stroke: () => theme.surface,
      },
    },
    scales: {
      power: { range: (_plot, low, high) => aroundZero(low, high, 500) },
      energy: { range: (_plot, low, high) => aroundZero(low, high, 500) },
      percent: { range: [0, 100] },
      voltage: { range: (_plot, low, high) => [Math.floor((low ?? 230) - 2), Math.ceil((high ?? 230) + 2)] },
    },
    axes: [timeAxis(settings), ...units.slice(0, 2).map((unit, side) => valueAxis(unit, side, settings))],
    series: [{}, ...series.map((one) => lineOf(one, theme))],
    hooks: {
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      drawAxes: [(plot) => drawBars(plot, series, theme)],
      draw: [(plot) => drawNow(plot, nowLabel, theme)],
    },
  }
}

/** Units in the order in which they get an axis: left, then right. */
export const unitsOf = (series: readonly Series[]) =>
  (['power', 'energy', 'percent', 'voltage'] as const).filter((unit) =>
    series.some((one) => one.unit === unit),
  )

/** Zero is always on the chart, and a flat line at zero has room above it. */
function aroundZero(low: number | null, high: number | null, least: number): [number, number] {
  const bottom = Math.min(0, low ?? 0)
  const top = Math.max(0, high ?? 0)
  return [bottom * 1.06, top === 0 && bottom === 0 ? least : top * 1.06]
}

const axisLook = ({ muted }: PlotTheme) => ({
  stroke: muted,
  font: `11px ${FONT}`,
  ticks: { show: false },
  border: { show: false },
})

function timeAxis({ theme, locale, timeZone, width }: PlotSettings): uPlot.Axis {
  const moment = { locale, timeZone }
  const label = (seconds: number, increment: number, severalDays: boolean) => {
    const ms = seconds * 1_000
    if (increment >= 27 * DAY) return formatTick(ms, 'month', moment)
    if (increment >= DAY) return formatTick(ms, increment > 2 * DAY ? 'day' : 'weekday', moment)
    const time = formatTime(ms, moment)
    return severalDays && time === '00:00' ? formatTick(ms, 'weekday', moment) : time
  }
  return {
    ...axisLook(theme),
    size: 34,
    gap: 10,
    grid: { show: false },
    space: width < NARROW ? 60 : 80,
    values: ({ scales }, splits, _axis, _space, increment) => {
      const severalDays = (scales.x?.max ?? 0) - (scales.x?.min ?? 0) > 1.1 * DAY
      return splits.map((seconds) => label(seconds, increment, severalDays))
    },
  }
}

function valueAxis(scale: Unit, side: number, { theme, locale, width }: PlotSettings): uPlot.Axis {
  const { divisor, unit } = PER_UNIT[scale]
  const narrow = width < NARROW
  const digits = (increment: number) => (increment / divisor < 1 ? 1 : 0)
  return {
    ...axisLook(theme),
    scale,
    side: side === 0 ? 3 : 1,
    size: narrow ? 40 : 56,
    gap: 6,
    grid: { show: side === 0, stroke: theme.line, width: 1 },
    // Magnitudes also below zero: the words beside the chart say what that means.
    values: (_plot, splits, _axis, _space, increment) =>
      splits.map((value, place) => {
        const text = formatNumber(Math.abs(value) / divisor, locale, digits(increment))
        return place === splits.length - 1 ? `${text}\u202f${unit}` : text
      }),
  }
}

function lineOf(one: Series, theme: PlotTheme): uPlot.Series {
  const colour = theme[one.colour]
  const bars = one.unit === 'energy'
  const strong = one.unit === 'power' && !one.forecast
  return {
    scale: one.unit,
    stroke: colour,
    width: strong ? 2 : 1.4,
    dash: one.forecast ? [3, 5] : undefined,
    points: { show: false },
    spanGaps: false,
    // The bars are drawn by hand; the series is there for its scale and its values.
    paths: bars ? () => null : undefined,
    fill: one.filled ? (plot) => gradient(plot, colour) : undefined,
  }
}

function gradient({ ctx, bbox }: uPlot, colour: string): CanvasGradient | string {
  // Not known before the first layout.
  if (!Number.isFinite(bbox.height) || bbox.height === 0) return `${colour}22`
  const fade = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height)
  fade.addColorStop(0, `${colour}55`)
  fade.addColorStop(1, `${colour}08`)
  return fade
}
