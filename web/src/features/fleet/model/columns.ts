/** The columns of the fleet table that can be left out. The choice stays in this browser. */
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

/** Without these nobody would know what a row is about. */
export const FIXED: readonly Column[] = ['status', 'sn']

/** A desk has no room for these; since when a system is away stands with its status. */
const UNUSUAL: readonly Column[] = ['place', 'house', 'access', 'contact']
const USUAL = COLUMNS.filter((column) => !UNUSUAL.includes(column))

/** In the table's own order, with what is fixed. */
export const inOrder = (chosen: readonly string[]): Column[] =>
  COLUMNS.filter((column) => FIXED.includes(column) || chosen.includes(column))

export function readColumns(): Column[] {
  const stored = localStorage.getItem(FLEET_COLUMNS)
  return stored === null ? [...USUAL] : inOrder(stored.split(','))
}

export const keepColumns = (columns: readonly Column[]) => localStorage.setItem(FLEET_COLUMNS, columns.join())

export const withColumn = (columns: readonly Column[], column: Column, shown: boolean): Column[] =>
  inOrder(shown ? [...columns, column] : columns.filter((one) => one !== column))
