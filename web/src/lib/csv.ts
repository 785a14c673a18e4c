/** Tables as files for a spreadsheet, by the same rules as the server's. */
const NEW_LINE = '\r\n'
/** Tells spreadsheets that it is UTF-8. */
const BOM = '\ufeff'

/** What a spreadsheet would take for a formula is made text; what holds a separator is quoted. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvOf = (rows: readonly (readonly string[])[]) =>
  BOM + rows.map((row) => row.map(csvCell).join(',') + NEW_LINE).join('')
