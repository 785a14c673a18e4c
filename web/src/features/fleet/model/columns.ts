/** The optional columns of the fleet table. The choice is stored in this browser. */
import { FLEET_COLUMNS } from '@/lib/storage-keys'

export const COLUMNS = [
  'status',
  'alarms',
  'sn',
  'customer',
  'place',
  'group',
  'soc',
  'pv',
  'battery',
  'grid',
  'house',
  'firmware',
  'access',
  'contact',
] as const
export type Column = (typeof COLUMNS)[number]

/** Columns that identify a row. */
export const FIXED: readonly Column[] = ['status', 'sn']

/** Hidden by default, for lack of space; the status already shows since when a system is offline. */
const HIDDEN_BY_DEFAULT: readonly Column[] = ['place', 'house', 'access', 'contact']
const DEFAULT_COLUMNS = COLUMNS.filter((column) => !HIDDEN_BY_DEFAULT.includes(column))

/** In the table's order, with the fixed columns. */
export const inOrder = (chosen: readonly string[]): Column[] =>
  COLUMNS.filter((column) => FIXED.includes(column) || chosen.includes(column))

export function readColumns(): Column[] {
  const stored = localStorage.getItem(FLEET_COLUMNS)
  return stored === null ? [...DEFAULT_COLUMNS] : inOrder(stored.split(','))
}

export const keepColumns = (columns: readonly Column[]) => localStorage.setItem(FLEET_COLUMNS, columns.join())

export const withColumn = (columns: readonly Column[], column: Column, shown: boolean): Column[] =>
  inOrder(shown ? [...columns, column] : columns.filter((one) => one !== column))
