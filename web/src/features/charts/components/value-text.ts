import {
  energyQuantity,
  joinQuantity,
  percentQuantity,
  powerQuantity,
  type Quantity,
  voltageQuantity,
} from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import type { Translate } from '@/lib/i18n/use-t'
import type { Series, Unit } from '../model/series'

const QUANTITY: Record<Unit, (value: number, locale: Locale) => Quantity> = {
  power: powerQuantity,
  energy: energyQuantity,
  percent: percentQuantity,
  voltage: voltageQuantity,
}

/** "1,9 kW", always a magnitude; a dash where nothing was measured. */
export const unitText = (value: number | null | undefined, unit: Unit, locale: Locale) =>
  value === null || value === undefined ? '–' : joinQuantity(QUANTITY[unit](value, locale))

/** The same with the word for its direction, where there is one: "1,9 kW lädt". */
export function valueText(
  value: number | null | undefined,
  series: Series,
  locale: Locale,
  t: Translate,
): string {
  const text = unitText(value, series.unit, locale)
  if (!series.words || value === null || value === undefined || value === 0) return text
  return `${text} ${t(value > 0 ? series.words.positive : series.words.negative)}`
}
