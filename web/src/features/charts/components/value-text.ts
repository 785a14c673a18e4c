import type { Graph } from '@/lib/data/charts'
import {
  energyQuantity,
  formatNumber,
  joinQuantity,
  percentQuantity,
  powerQuantity,
  type Quantity,
  voltageQuantity,
} from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import type { Translate } from '@/lib/i18n/use-t'
import type { Values } from '../model/before'
import { directionWord, type Series, type Unit } from '../model/series'
import { earlierSummary, type Summary, summaryOf } from '../model/summary'

export type Value = number | null | undefined

const NOTHING = '–'

const QUANTITY: Record<Unit, (value: number, locale: Locale) => Quantity> = {
  power: powerQuantity,
  energy: energyQuantity,
  percent: percentQuantity,
  voltage: voltageQuantity,
}

/** The value at a point; without a point the summary. */
export const valueAt = (
  graph: Graph | undefined,
  series: Series,
  place: number | null,
  summary: Summary,
): Value => (place === null ? summaryOf(graph, series, summary) : graph?.series[series.code]?.[place])

/** The compared value; undefined without a comparison. */
export const earlierValue = (
  graph: Graph | undefined,
  values: Values | undefined,
  series: Series,
  place: number | null,
  summary: Summary,
): Value => {
  if (!graph || !values || series.forecast) return undefined
  return place === null
    ? earlierSummary(graph, values, series, summary)
    : (values[series.code]?.[place] ?? null)
}

/** The number of systems in a value, which determines the meters' noise. */
export const reportingAt = (graph: Graph | undefined, place: number | null, { kind, live }: Summary) =>
  (place === null && kind === 'now' ? live?.reporting : graph?.reporting) ?? undefined

/**
 * "1,9 kW lädt": magnitude and direction; a dash if nothing was measured. @param reporting how many systems
 * are in the value
 */
export function valueText(
  value: Value,
  series: Series,
  locale: Locale,
  t: Translate,
  reporting?: number,
): string {
  if (value === null || value === undefined) return NOTHING
  const text = joinQuantity(QUANTITY[series.unit](value, locale))
  const word = directionWord(value, series, reporting)
  return word ? `${text} ${t(word)}` : text
}

/** The longest text of a series, to reserve its width. */
export function widestText({ unit, words }: Series, locale: Locale, t: Translate): string {
  const text = joinQuantity(QUANTITY[unit](MAX_VALUES[unit], locale))
  const longest = words && [t(words.positive), t(words.negative)].sort((a, b) => b.length - a.length)[0]
  return longest ? `${text} ${longest}` : text
}

const MAX_VALUES: Record<Unit, number> = { power: 88_800, energy: 888_800, percent: 100, voltage: 238.8 }

/** Units in tables: the same as in API and CSV. */
export const TABLE_UNIT: Record<Unit, { unit: string; digits: number }> = {
  power: { unit: 'W', digits: 0 },
  energy: { unit: 'Wh', digits: 0 },
  percent: { unit: '%', digits: 1 },
  voltage: { unit: 'V', digits: 1 },
}

export const cellText = (value: number | null, unit: Unit, locale: Locale) =>
  value === null ? NOTHING : formatNumber(value, locale, TABLE_UNIT[unit].digits)
