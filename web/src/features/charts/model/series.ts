/** The series of the big chart: names, colours, units and styles. */
import type { MessageId } from '@/lib/i18n/locales'
import { DEAD_BAND, type Direction, directionOf, gridDeadBand } from '@/lib/power'

export type Unit = 'power' | 'energy' | 'percent' | 'voltage'

export type Series = {
  code: string
  label: MessageId
  /** Named after the source. */
  colour: 'pv' | 'grid' | 'battery' | 'soc' | 'home'
  unit: Unit
  /** The words for positive, negative and idle values. */
  words?: Record<NonNullable<Direction>, MessageId>
  /** Stored as a negative number; drawn below zero and hatched. */
  below?: boolean
  /** The main series of its source: a thicker line with an area. */
  filled?: boolean
  /** Dashed. */
  forecast?: boolean
}

export const SERIES: readonly Series[] = [
  { code: 'm6', label: 'series.pv', colour: 'pv', unit: 'power', filled: true },
  { code: 'm8', label: 'series.house', colour: 'home', unit: 'power' },
  {
    code: 'm1',
    label: 'series.battery',
    colour: 'battery',
    unit: 'power',
    filled: true,
    words: {
      positive: 'flow.battery.positive',
      negative: 'flow.battery.negative',
      idle: 'flow.battery.idle',
    },
  },
  {
    code: 'm0',
    label: 'series.grid',
    colour: 'grid',
    unit: 'power',
    words: { positive: 'flow.grid.positive', negative: 'flow.grid.negative', idle: 'flow.grid.idle' },
  },
  { code: 'm3', label: 'series.soc', colour: 'soc', unit: 'percent' },
  { code: 'm7', label: 'series.voltage', colour: 'grid', unit: 'voltage' },
  { code: 'm4', label: 'series.pv_energy', colour: 'pv', unit: 'energy' },
  { code: 'm2', label: 'series.import', colour: 'grid', unit: 'energy' },
  { code: 'm2N', label: 'series.feed_in', colour: 'grid', unit: 'energy', below: true },
  { code: 'm5', label: 'series.discharge', colour: 'battery', unit: 'energy' },
  { code: 'm5N', label: 'series.charge', colour: 'battery', unit: 'energy', below: true },
  { code: 'ef', label: 'series.energy_forecast', colour: 'pv', unit: 'power', forecast: true },
  { code: 'lf', label: 'series.load_forecast', colour: 'home', unit: 'power', forecast: true },
]

export const CODES = SERIES.map(({ code }) => code)

/** Returns the series in their fixed order. */
export const seriesOf = (codes: readonly string[]) => SERIES.filter(({ code }) => codes.includes(code))

/** Only measured series; forecasts are not compared. */
export const measuredOf = (codes: readonly string[]) =>
  codes.filter((code) => !SERIES.some((one) => one.code === code && one.forecast))

/** The word for a value's direction, as on the cards. @param reporting how many systems are in the value */
export function directionWord(value: number, { code, words }: Series, reporting?: number): MessageId | null {
  const direction = directionOf(value, code === 'm0' ? gridDeadBand(reporting) : DEAD_BAND)
  return words && direction ? words[direction] : null
}

/** Rounds chart values away from zero. Volts and percent keep one decimal. */
export function roundForChart(value: number | null | undefined, unit: Unit): number | null {
  if (value === null || value === undefined) return null
  if (unit === 'percent' || unit === 'voltage') return value
  return value >= 0 ? Math.ceil(value) : Math.floor(value)
}

/** A column of the table. A signed series has two, one per direction, with magnitudes. */
export type Column = {
  key: string
  label: MessageId
  unit: Unit
  value: (value: number | null) => number | null
}

const orNull = (turn: (value: number) => number) => (value: number | null) =>
  value === null ? null : turn(value)

const DIRECTIONS: Record<string, [MessageId, MessageId]> = {
  m0: ['column.import', 'column.feed_in'],
  m1: ['column.discharge', 'column.charge'],
}

export function columnsOf({ code, label, unit }: Series): Column[] {
  const directions = DIRECTIONS[code]
  if (!directions) return [{ key: code, label, unit, value: orNull(Math.abs) }]
  const [above, below] = directions
  return [
    { key: `${code}+`, label: above, unit, value: orNull((value) => Math.max(0, value)) },
    { key: `${code}-`, label: below, unit, value: orNull((value) => Math.max(0, -value)) },
  ]
}
