/** The axes: times of the site below, magnitudes with their unit at the sides. */
import type uPlot from 'uplot'
import { formatDistinctTime, formatNumber, formatTick } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import type { Unit } from '../model/series'
import { FONT, type PlotTheme } from './theme'

export type AxisSettings = { theme: PlotTheme; locale: Locale; timeZone: string; width: number }

/** kW and kWh on the axis, from W and Wh in the data. */
const PER_UNIT: Record<Unit, { divisor: number; unit: string }> = {
  power: { divisor: 1_000, unit: 'kW' },
  energy: { divisor: 1_000, unit: 'kWh' },
  percent: { divisor: 1, unit: '%' },
  voltage: { divisor: 1, unit: 'V' },
}

const NARROW = 560
const DAY = 86_400

const axisLook = ({ muted }: PlotTheme) => ({
  stroke: muted,
  font: `11px ${FONT}`,
  ticks: { show: false },
  border: { show: false },
})

export function timeAxis({ theme, locale, timeZone, width }: AxisSettings): uPlot.Axis {
  const moment = { locale, timeZone }
  const label = (seconds: number, increment: number, severalDays: boolean) => {
    const ms = seconds * 1_000
    if (increment >= 27 * DAY) return formatTick(ms, 'month', moment)
    if (increment >= DAY) return formatTick(ms, increment > 2 * DAY ? 'day' : 'weekday', moment)
    const time = formatDistinctTime(ms, moment)
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

/** @param side 0 is left and has the lines across the chart, 1 is right */
export function valueAxis(scale: Unit, side: number, { theme, locale, width }: AxisSettings): uPlot.Axis {
  const { divisor, unit } = PER_UNIT[scale]
  const digits = (increment: number) => (increment / divisor < 1 ? 1 : 0)
  return {
    ...axisLook(theme),
    scale,
    side: side === 0 ? 3 : 1,
    size: width < NARROW ? 40 : 56,
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
