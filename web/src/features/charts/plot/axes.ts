/** The axes: site time below, magnitudes with units at the sides. */
import type uPlot from 'uplot'
import { formatDistinctTime, formatNumber, formatTick } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import { textScale } from '@/lib/text-scale'
import type { TimeRange } from '../model/range'
import type { Unit } from '../model/series'
import { isNamed } from '../model/steps'
import { FONT, type PlotTheme } from './theme'

export type AxisSettings = {
  theme: PlotTheme
  locale: Locale
  timeZone: string
  width: number
  resolution: string
  /** The time step of each point. */
  steps: readonly TimeRange[]
}

/** kW and kWh on the axis, W and Wh in the data. */
const PER_UNIT: Record<Unit, { divisor: number; unit: string }> = {
  power: { divisor: 1_000, unit: 'kW' },
  energy: { divisor: 1_000, unit: 'kWh' },
  percent: { divisor: 1, unit: '%' },
  voltage: { divisor: 1, unit: 'V' },
}

const NARROW = 560
const GAP = 6
/** The width of a digit in the axis font, in pixels at normal text size; units are no wider on average. */
const DIGIT = 6.6
const DAY = 86_400

const widest = (labels: readonly string[] | null) =>
  Math.max(0, ...(labels ?? []).map((label) => label.length)) * DIGIT * textScale()

const axisLook = ({ muted }: PlotTheme) => ({
  stroke: muted,
  font: `${11 * textScale()}px ${FONT}`,
  ticks: { show: false },
  border: { show: false },
})

export function timeAxis(settings: AxisSettings): uPlot.Axis {
  const { theme, width } = settings
  return {
    ...axisLook(theme),
    size: 14 + 20 * textScale(),
    gap: 10,
    grid: { show: false },
    space: (width < NARROW ? 60 : 80) * textScale(),
    ...(isNamed(settings) ? stepLabels(settings) : momentLabels(settings)),
  }
}

type Labels = Pick<uPlot.Axis, 'splits' | 'values'>

/** Labels at full hours, or at midnights if there are several days. */
function momentLabels({ locale, timeZone }: AxisSettings): Labels {
  const moment = { locale, timeZone }
  const label = (seconds: number, increment: number, severalDays: boolean) => {
    const ms = seconds * 1_000
    if (increment >= DAY) return formatTick(ms, increment > 2 * DAY ? 'day' : 'weekday', moment)
    const time = formatDistinctTime(ms, moment)
    return severalDays && time === '00:00' ? formatTick(ms, 'weekday', moment) : time
  }
  return {
    values: ({ scales }, splits, _axis, _space, increment) => {
      const severalDays = (scales.x?.max ?? 0) - (scales.x?.min ?? 0) > 1.1 * DAY
      return splits.map((seconds) => label(seconds, increment, severalDays))
    },
  }
}

/** Labels at the middle of days or months, or of every few if space is limited. */
function stepLabels({ locale, timeZone, resolution, width, steps }: AxisSettings): Labels {
  const as = (days: number) => (resolution === 'month' ? 'month' : days > 8 ? 'day' : 'weekday')
  const room = { month: 36, weekday: 52, day: width < NARROW ? 22 : 30 }
  return {
    splits: (_plot, _axis, min, max) => {
      const shown = steps.filter(([from, to]) => to > min && from < max)
      const each = Math.max(1, Math.ceil((shown.length * room[as(shown.length)] * textScale()) / width))
      const labelled = shown.filter((_, place) => place % each === 0)
      return labelled.map(([from, to]) => (from + to) / 2).filter((middle) => middle >= min && middle <= max)
    },
    values: ({ scales: { x } }, splits) => {
      const days = ((x?.max ?? 0) - (x?.min ?? 0)) / DAY
      return splits.map((middle) => formatTick(middle * 1_000, as(days), { locale, timeZone }))
    },
  }
}

/** The decimals that an axis' steps need: 0.25 must not become 0.3. */
export const digitsOf = (step: number) =>
  [0, 1].find((digits) => Number.isInteger(Math.round(step * 10 ** (digits + 3)) / 1_000)) ?? 2

/** @param side 0 is left and has the grid lines, 1 is right */
export function valueAxis(scale: Unit, side: number, { theme, locale, width }: AxisSettings): uPlot.Axis {
  const { divisor, unit } = PER_UNIT[scale]
  return {
    ...axisLook(theme),
    scale,
    side: side === 0 ? 3 : 1,
    // As wide as the longest label.
    size: (_plot, labels) => Math.max(width < NARROW ? 36 : 56, widest(labels) + GAP + 4),
    gap: GAP,
    grid: { show: side === 0, stroke: theme.line, width: 1 },
    // Magnitudes, also below zero: the words beside the chart give the direction.
    values: (_plot, splits, _axis, _space, increment) =>
      splits.map((value, place) => {
        const text = formatNumber(Math.abs(value) / divisor, locale, digitsOf(increment / divisor))
        return place === splits.length - 1 ? `${text}\u202f${unit}` : text
      }),
  }
}
