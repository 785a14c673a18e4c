/** Joins the CSV tables of several systems with a system column, as in the export of samples. */
import { BOM, csvCell, csvSeparator, NEW_LINE } from '@/lib/csv'
import type { Locale } from '@/lib/i18n/locales'

export type SystemTable = { name: string; table: string }

/**
 * @param tables CSV texts of the server in the same language, without byte order marks @param heading the
 * title of the system column
 */
export function joinTables(tables: readonly SystemTable[], heading: string, locale: Locale): string {
  const named = (name: string, row: string) => `${csvCell(name, locale)}${csvSeparator(locale)}${row}`
  const [header = ''] = (tables[0]?.table ?? '').split(NEW_LINE)
  const rows = tables.flatMap(({ name, table }) =>
    table
      .split(NEW_LINE)
      .slice(1)
      .filter((row) => row !== '')
      .map((row) => named(name, row)),
  )
  return BOM + [named(heading, header), ...rows, ''].join(NEW_LINE)
}
