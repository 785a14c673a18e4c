/** The tables of several systems as one, each row with its system in front, as in the export of samples. */
export type SystemTable = { name: string; table: string }

const NEW_LINE = '\r\n'

/** @param heading of the column that names the system */
export function joinTables(tables: readonly SystemTable[], heading: string): string {
  const [header = ''] = (tables[0]?.table ?? '').split(NEW_LINE)
  const rows = tables.flatMap(({ name, table }) =>
    table
      .split(NEW_LINE)
      .slice(1)
      .filter((row) => row !== '')
      .map((row) => `${cell(name)},${row}`),
  )
  return [`${cell(heading)},${header}`, ...rows, ''].join(NEW_LINE)
}

const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
