/** The tables of several systems as one, each row with its system in front, as in the export of samples. */
import { BOM, csvCell, csvSeparator, NEW_LINE } from '@/lib/csv'
import type { Locale } from '@/lib/i18n/locales'

export type SystemTable = { name: string; table: string }

/**
 * @param tables as the server writes them in the same language, without their byte order marks
 * @param heading of the column that names the system
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
