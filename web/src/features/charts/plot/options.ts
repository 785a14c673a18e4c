/** The uPlot options: scales, axes and lines of the selected series. */
import uPlot from 'uplot'
import type { Extents } from '../model/extent'
import type { Series, Unit } from '../model/series'
import { type AxisSettings, timeAxis, valueAxis } from './axes'
import { drawBars, fade } from './bars'
import { cursorTime } from './cursor-time'
import type { PlotGroup } from './group'
import { lonePoints } from './lone-points'
import { drawNow } from './now-line'
import { snapToPoint } from './snap'
import type { PlotTheme } from './theme'

export type PlotSettings = AxisSettings & {
  series: readonly Series[]
  /** The compared series; their values follow the others. */
  compared: readonly Series[]
  group: PlotGroup
  height: number
  nowLabel: string
  /** Server time in ms. */
  now: () => number
  /** The common extents of all charts; undefined for a single one. */
  extents: () => Extents | undefined
  /** Formats the time of a point. */
  timeOf: (place: number) => string
  /** The index of the point at the cursor, null if there is none. */
  onCursor: (place: number | null) => void
}

export function optionsOf(settings: PlotSettings): uPlot.Options {
  const { series, compared, steps, theme, timeZone, group, now, nowLabel, width, height, timeOf, onCursor } =
    settings
  const units = unitsOf(series)
  return {
    width,
    height,
    padding: [14, units.length > 1 ? 0 : 12, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
    legend: { show: false },
    cursor: {
      y: false,
      move: snapToPoint,
      drag: { x: true, y: false, dist: 8, setScale: false },
      bind: {
        // Shift-drag pans; `gestures.ts` handles it.
        mousedown: (_plot, _target, handle) => (event) => {
          if (!event.shiftKey) handle(event)
          return null
        },
        dblclick: () => () => {
          group.reset()
          return null
        },
      },
      points: {
        size: (_plot, place) => ((series[place - 1]?.unit ?? 'energy') === 'energy' ? 0 : 7),
        fill: (_plot, place) => theme[series[place - 1]?.colour ?? 'home'],
        stroke: () => theme.surface,
      },
    },
    scales: scalesOf(settings),
    axes: [timeAxis(settings), ...units.slice(0, 2).map((unit, side) => valueAxis(unit, side, settings))],
    series: [
      {},
      ...series.map((one) => lineOf(one, theme)),
      ...compared.map((one) => fadedLineOf(one, theme)),
    ],
    plugins: [cursorTime(timeOf)],
    hooks: {
      setCursor: [
        (plot) => {
          onCursor(plot.cursor.idx ?? null)
          group.moveCursors(plot)
        },
      ],
      setSelect: [(plot) => showSelected(plot, group)],
      drawAxes: [(plot) => drawBars(plot, { series, compared, steps, theme })],
      draw: [(plot) => drawNow(plot, now() / 1_000, nowLabel, theme)],
    },
  }
}

/** The order of the axes: first left, then right. */
const unitsOf = (series: readonly Series[]) =>
  (['power', 'energy', 'percent', 'voltage'] as const).filter((unit) =>
    series.some((one) => one.unit === unit),
  )

function showSelected(plot: uPlot, group: PlotGroup) {
  const { left, width } = plot.select
  if (width === 0) return
  const range = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')] as const
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  group.show(range)
}

type Bound = number | null
type Range = (low: Bound, high: Bound) => [number, number]

const RANGES: Record<Exclude<Unit, 'percent'>, Range> = {
  power: aroundZero,
  energy: aroundZero,
  voltage: (low, high) => [Math.floor((low ?? 230) - 2), Math.ceil((high ?? 230) + 2)],
}

function scalesOf({ extents }: PlotSettings): uPlot.Scales {
  const scaleOf = (unit: keyof typeof RANGES): uPlot.Scale => ({
    range: (_plot, low, high) => RANGES[unit](...(extents()?.[unit] ?? ([low, high] as const))),
  })
  return {
    power: scaleOf('power'),
    energy: scaleOf('energy'),
    voltage: scaleOf('voltage'),
    percent: { range: [0, 100] },
  }
}

/** Zero is always visible, with some space above a constant zero. */
function aroundZero(low: Bound, high: Bound): [number, number] {
  const bottom = Math.min(0, low ?? 0)
  const top = Math.max(0, high ?? 0)
  return [bottom * 1.06, top === 0 && bottom === 0 ? 500 : top * 1.06]
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
    // A single point between two gaps is drawn as a dot.
    points: { show: false, size: 4, fill: colour, filter: bars ? () => null : lonePoints },
    spanGaps: false,
    // `drawBars` draws the bars; the series provides scale and values.
    paths: bars ? () => null : undefined,
    fill: one.filled ? (plot) => gradient(plot, colour) : undefined,
  }
}

/** A compared series: thin and faded. Dashes are for forecasts only. */
function fadedLineOf(one: Series, theme: PlotTheme): uPlot.Series {
  const line = lineOf(one, theme)
  return { ...line, stroke: fade(theme[one.colour]), width: 1.2, fill: undefined, points: { show: false } }
}

function gradient({ ctx, bbox }: uPlot, colour: string): CanvasGradient | string {
  // The layout is unknown at first.
  if (!Number.isFinite(bbox.height) || bbox.height === 0) return `${colour}22`
  const fade = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height)
  fade.addColorStop(0, `${colour}55`)
  fade.addColorStop(1, `${colour}08`)
  return fade
}
