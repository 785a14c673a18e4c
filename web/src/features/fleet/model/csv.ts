/** The rows that are shown, as a table for a spreadsheet: plain numbers, and a word for every direction. */
import { csvNumber, csvOf } from '@/lib/csv'
import type { Locale } from '@/lib/i18n/locales'
import type { Translate } from '@/lib/i18n/use-t'
import { directionOf } from '@/lib/power'
import type { Column } from './columns'
import type { Row } from './row'
import { scopeOf } from './scope'

type Cells = {
  heading: (t: Translate) => string[]
  cells: (row: Row, t: Translate, locale: Locale) => string[]
}

const number = (value: number | null, locale: Locale) =>
  value === null ? '' : csvNumber(Math.abs(value), locale)
const named = (column: Column) => (t: Translate) => [t(`fleet.column.${column}`)]
const watts = (column: Column, t: Translate) => `${t(`fleet.column.${column}`)} (W)`

const undirected = (column: 'pv' | 'house'): Cells => ({
  heading: (t) => [watts(column, t)],
  cells: (row, _, locale) => [number(row[column], locale)],
})

const directed = (column: 'battery' | 'grid'): Cells => ({
  heading: (t) => [watts(column, t), t('fleet.direction', { of: t(`fleet.column.${column}`) })],
  cells: (row, t, locale) => {
    const direction = directionOf(row[column])
    return [number(row[column], locale), direction ? t(`flow.${column}.${direction}`) : '']
  },
})

const CELLS: Record<Column, Cells> = {
  status: {
    heading: (t) => [t('fleet.column.status'), t('fleet.fault')],
    cells: ({ status, fault }, t) => [t(`fleet.status.${status}`), fault ? t(`fleet.fault.${fault}`) : ''],
  },
  alarms: {
    heading: named('alarms'),
    cells: ({ alarms }) => [alarms.map(({ text }) => text).join(', ')],
  },
  sn: { heading: named('sn'), cells: ({ sn }) => [sn] },
  customer: { heading: named('customer'), cells: ({ customer }) => [customer] },
  place: { heading: named('place'), cells: ({ place }) => [place] },
  group: { heading: named('group'), cells: ({ group }) => [group] },
  soc: {
    heading: (t) => [`${t('fleet.column.soc')} (%)`],
    cells: ({ soc }, _, locale) => [number(soc, locale)],
  },
  pv: undirected('pv'),
  house: undirected('house'),
  battery: directed('battery'),
  grid: directed('grid'),
  firmware: { heading: named('firmware'), cells: ({ firmware }) => [firmware] },
  access: {
    heading: named('access'),
    cells: ({ system }, t) => [t(`fleet.scope.${scopeOf(system.access)}`)],
  },
  contact: {
    heading: named('contact'),
    cells: ({ contact }) => [contact === null ? '' : new Date(contact).toISOString()],
  },
}

export function fleetCsv(
  rows: readonly Row[],
  columns: readonly Column[],
  t: Translate,
  locale: Locale,
): string {
  const parts = columns.map((column) => CELLS[column])
  return csvOf(
    [
      parts.flatMap(({ heading }) => heading(t)),
      ...rows.map((row) => parts.flatMap(({ cells }) => cells(row, t, locale))),
    ],
    locale,
  )
}
