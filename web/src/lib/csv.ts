/** Tables as files for a spreadsheet, by the same rules as the server's. */
import type { Locale } from './i18n/locales'

export const NEW_LINE = '\r\n'
/** Tells spreadsheets that it is UTF-8. */
export const BOM = '\ufeff'

/** Where the comma is the decimal point, spreadsheets separate cells by semicolons. */
export const csvSeparator = (locale: Locale) => (locale === 'en' ? ',' : ';')

/** What a spreadsheet would take for a formula is made text; what holds a separator is quoted. */
export function csvCell(text: string, locale: Locale): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  const quoted = safe.includes(csvSeparator(locale)) || /["\r\n]/.test(safe)
  return quoted ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A number as the spreadsheets of the language read it. */
export const csvNumber = (value: number, locale: Locale) =>
  locale === 'en' ? String(value) : String(value).replace('.', ',')

export const csvOf = (rows: readonly (readonly string[])[], locale: Locale) =>
  BOM +
  rows.map((row) => row.map((cell) => csvCell(cell, locale)).join(csvSeparator(locale)) + NEW_LINE).join('')
