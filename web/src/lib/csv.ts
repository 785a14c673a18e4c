/** Tables as files for a spreadsheet, by the same rules as the server's. */
import type { Locale } from './i18n/locales'

export const NEW_LINE = '\r\n'
/** Tells spreadsheets that it is UTF-8. */
export const BOM = '\ufeff'

/** Where the comma is the decimal point, spreadsheets separate cells by semicolons. */
export const csvSeparator = (locale: Locale) => (locale === 'en' ? ',' : ';')

/** What a spreadsheet would take for a formula is made text, whichever separator it reads; what holds a separator is quoted. */
export function csvCell(text: string, locale: Locale): string {
  const startsCell = (at: number) => /(^|[,;\t\r\n])"*$/.test(text.slice(0, at))
  // A list in a cell may go on with a number.
  const isNumber = (at: number) => at > 0 && /^[+-]?[\d.]+([,;\t\r\n\]}]|$)/.test(text.slice(at))
  const safe = text.replace(/[=+\-@\t\r]/g, (start, at: number) =>
    startsCell(at) && !isNumber(at) ? `'${start}` : start,
  )
  const quoted = safe.includes(csvSeparator(locale)) || /["\r\n]/.test(safe)
  return quoted ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A number as the spreadsheets of the language read it. */
export const csvNumber = (value: number, locale: Locale) =>
  locale === 'en' ? String(value) : String(value).replace('.', ',')

export const csvOf = (rows: readonly (readonly string[])[], locale: Locale) =>
  BOM +
  rows.map((row) => row.map((cell) => csvCell(cell, locale)).join(csvSeparator(locale)) + NEW_LINE).join('')
