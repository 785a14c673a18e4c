/** Formats numbers, units and times: by language, 24 hours, never "−0", and no sign for a direction. */
import type { Locale } from './i18n/locales'
import { type Interval, plusDays, type SiteDay, startOf, utcOf } from './site-day'

/** A narrow no-break space between a number and its unit. */
const UNIT_SPACE = '\u202f'
const MINUS = '\u2212'

/** A value and its unit, for cards that draw the unit smaller. */
export type Quantity = { value: string; unit: string }

const numberFormats = new Map<string, Intl.NumberFormat>()
const moneyFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Cached: formatters are slow to create and used for every reading. */
function numberFormat(locale: Locale, digits: number) {
  const key = `${locale}:${digits}`
  const known = numberFormats.get(key)
  if (known) return known
  const made = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  numberFormats.set(key, made)
  return made
}

/** European English: plain `en` is American, with the month first. */
const DATE_LANGUAGE: Partial<Record<Locale, string>> = { en: 'en-GB' }

/** English dates have the month as a word, because 03/05 is ambiguous. */
const dayAndMonth = (locale: Locale) =>
  locale === 'en'
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ day: '2-digit', month: '2-digit' } as const)

function dateFormat(locale: Locale, options: Intl.DateTimeFormatOptions) {
  const key = `${locale}:${JSON.stringify(options)}`
  const known = dateFormats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(DATE_LANGUAGE[locale] ?? locale, options)
  dateFormats.set(key, made)
  return made
}

/** A signed number with a typographic minus. A value that rounds to zero has no sign. */
export function formatNumber(value: number, locale: Locale, digits = 0): string {
  const rounded = Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value
  return numberFormat(locale, digits).format(rounded).replace('-', MINUS)
}

/** A magnitude, because the direction is a word: W in steps of ten below 1 kW, then kW with one decimal. */
export function powerQuantity(watts: number, locale: Locale): Quantity {
  const magnitude = Math.round(Math.abs(watts) / 10) * 10
  return magnitude < 1_000
    ? { value: formatNumber(magnitude, locale), unit: 'W' }
    : { value: formatNumber(magnitude / 1_000, locale, 1), unit: 'kW' }
}

/** The magnitude of an energy in Wh: kWh with one decimal, MWh from 10,000 kWh on. */
export function energyQuantity(wattHours: number, locale: Locale): Quantity {
  const kwh = Math.abs(wattHours) / 1_000
  return kwh < 10_000
    ? { value: formatNumber(kwh, locale, 1), unit: 'kWh' }
    : { value: formatNumber(kwh / 1_000, locale, 1), unit: 'MWh' }
}

export const percentQuantity = (percent: number, locale: Locale): Quantity => ({
  value: formatNumber(percent, locale),
  unit: '%',
})

export const voltageQuantity = (volts: number, locale: Locale): Quantity => ({
  value: formatNumber(volts, locale, 1),
  unit: 'V',
})

export const joinQuantity = ({ value, unit }: Quantity) => `${value}${UNIT_SPACE}${unit}`

/** ISO 4217; the server sets that of the owner's country. */
export type Currency = string

/** The magnitude of an amount in cents, because cost and income are words: "3,20 €", "€3.20". */
export function formatMoney(cents: number, currency: Currency, locale: Locale): string {
  const key = `${locale}:${currency}`
  const format = moneyFormats.get(key) ?? new Intl.NumberFormat(locale, { style: 'currency', currency })
  moneyFormats.set(key, format)
  return format.format(Math.abs(cents) / 100)
}

const SMALL_COINS: Record<Currency, string> = { EUR: 'ct', PLN: 'gr', CHF: 'Rp.' }

/** The unit of energy prices. */
export const priceUnit = (currency: Currency) => `${SMALL_COINS[currency] ?? 'ct'}/kWh`

export const priceQuantity = (price: number, currency: Currency, locale: Locale): Quantity => ({
  value: formatNumber(price, locale, 2),
  unit: priceUnit(currency),
})

/** Options for a time in milliseconds; without a zone that of the browser. */
type Moment = { locale: Locale; timeZone?: string }

/** "16:05", always 24 hours. */
export const formatTime = (ms: number, { locale, timeZone }: Moment) =>
  dateFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(ms)

const HOUR = 3_600_000

/** Like `formatTime`, but with the zone if the time is repeated when the clock is set back: "02:15 MESZ". */
export function formatDistinctTime(ms: number, moment: Moment): string {
  const time = formatTime(ms, moment)
  // Only the hour before and after: times of other days differ by their date.
  const twice = [ms - HOUR, ms + HOUR].some((other) => formatTime(other, moment) === time)
  return twice ? `${time} ${zoneName(ms, moment)}` : time
}

const zoneName = (ms: number, { locale, timeZone }: Moment) =>
  dateFormat(locale, { timeZoneName: 'short', timeZone })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''

/**
 * "05.03.2026" in German, "5 Mar 2026" in English: the short date of each language, as in the server's mails.
 */
export const formatDate = (ms: number, { locale, timeZone }: Moment) =>
  dateFormat(locale, { ...dayAndMonth(locale), year: 'numeric', timeZone }).format(ms)

/** "05.03.", if the year is clear. */
export const formatDayOfYear = (ms: number, { locale, timeZone }: Moment) =>
  dateFormat(locale, { ...dayAndMonth(locale), timeZone }).format(ms)

/** "5. März 2026". */
export const formatLongDate = (ms: number, { locale, timeZone }: Moment) =>
  dateFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone }).format(ms)

export const formatDateTime = (ms: number, moment: Moment) =>
  `${formatDate(ms, moment)} ${formatTime(ms, moment)}`

/** "18. Juni 2026", "15.–21. Juni 2026", "Juni 2026" or "2026": the period that contains a day. */
export function formatPeriod(day: SiteDay, interval: Interval, locale: Locale): string {
  const timeZone = 'UTC'
  const first = startOf(day, interval)
  const long = { day: 'numeric', month: 'long', year: 'numeric', timeZone } as const
  if (interval === 'Day') return dateFormat(locale, long).format(utcOf(day))
  if (interval === 'Week')
    return dateFormat(locale, long).formatRange(utcOf(first), utcOf(plusDays(first, 6)))
  if (interval === 'Month')
    return dateFormat(locale, { month: 'long', year: 'numeric', timeZone }).format(utcOf(day))
  return first.slice(0, 4)
}

/** A tick label: "Mo 15.", "15." or "Jun". */
export const formatTick = (ms: number, as: 'weekday' | 'day' | 'month', { locale, timeZone }: Moment) =>
  dateFormat(locale, {
    weekday: as === 'weekday' ? 'short' : undefined,
    day: as === 'month' ? undefined : 'numeric',
    month: as === 'month' ? 'short' : undefined,
    timeZone,
  }).format(ms)

/** "Sonntag, 15. November 2026". */
export const formatFullDay = (day: SiteDay, locale: Locale) =>
  dateFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(utcOf(day))

/** "Sonntag" or "So". */
export const formatWeekday = (day: SiteDay, as: 'long' | 'short', locale: Locale) =>
  dateFormat(locale, { weekday: as, timeZone: 'UTC' }).format(utcOf(day))

/** The remaining time as "29:05" minutes and seconds; at least "0:00". */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Invalid firmware versions are shown as a dash. */
export const formatVersion = (version: string | null | undefined) =>
  version && /^\d{1,2}\.\d{1,2}$/.test(version) ? version : '-'
