/** Filters and sorts the rows of the fleet. */

import { plainLetters } from '@/lib/plain-letters'
import { byName, type Row, STATUSES, type Status } from './row'
import { SCOPES, scopeOf } from './scope'

export const FILTERS = [
  'all',
  'alarm',
  'attention',
  'offline',
  'off',
  'switch',
  'updating',
  'paused',
  'limited',
  'commissioning',
  'update',
  'well',
] as const
export type Filter = (typeof FILTERS)[number]

export const SORTS = [
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
export type Sort = (typeof SORTS)[number]

export type View = {
  q: string
  filter: Filter
  /** A group's name; empty: systems without one; null: all. */
  group: string | null
  sort: Sort
  descending: boolean
}

const MATCHES: Record<Filter, (row: Row) => boolean> = {
  all: () => true,
  alarm: ({ alarms }) => alarms.length > 0,
  attention: ({ status }) => status === 'fault' || status === 'stale',
  offline: ({ status }) => status === 'offline',
  off: ({ status }) => status === 'off',
  switch: ({ inForce }) => inForce.some((one) => one.kind === 'update' && one.switch != null),
  updating: ({ inForce }) => inForce.some((one) => one.kind === 'update' && one.switch == null),
  paused: ({ inForce }) => inForce.some(({ kind }) => kind === 'pause'),
  limited: ({ inForce }) => inForce.some(({ kind }) => kind === 'grid_limit'),
  commissioning: ({ system }) => system.commissioning === 'in_progress',
  update: ({ updatable }) => updatable,
  well: ({ status }) => status === 'fine',
}

/** Filters that are only offered while they match something. */
export const RARE_FILTERS: readonly Filter[] = [
  'off',
  'switch',
  'updating',
  'paused',
  'limited',
  'commissioning',
]

/** The number of rows of each filter. */
export function countsOf(rows: readonly Row[]): Record<Filter, number> {
  const counts = Object.fromEntries(FILTERS.map((filter) => [filter, 0])) as Record<Filter, number>
  for (const row of rows) for (const filter of FILTERS) if (MATCHES[filter](row)) counts[filter] += 1
  return counts
}

/** The rows that match the search and the group, before the filters. */
export function foundRows(rows: readonly Row[], { q, group }: Pick<View, 'q' | 'group'>): Row[] {
  const words = plainLetters(q).split(/\s+/).filter(Boolean)
  return rows.filter(
    (row) => (group === null || row.group === group) && words.every((word) => row.haystack.includes(word)),
  )
}

export const filteredRows = (rows: readonly Row[], filter: Filter) => rows.filter(MATCHES[filter])

const RANK = Object.fromEntries(STATUSES.map((status, rank) => [status, rank])) as Record<Status, number>

/** Unacknowledged alarms first, then by status. */
const worst = ({ urgency, status }: Row) => urgency * STATUSES.length + RANK[status]

/** The sort key of each column; null comes last in both directions. */
const KEY: Record<Sort, (row: Row) => number | string | null> = {
  status: worst,
  alarms: ({ urgency, alarms }) => (alarms.length > 0 ? urgency : null),
  sn: ({ sn }) => sn,
  customer: ({ rank }) => rank,
  place: ({ place }) => place || null,
  group: ({ group }) => group || null,
  soc: ({ soc }) => soc,
  pv: ({ pv }) => pv,
  battery: ({ battery }) => battery,
  grid: ({ grid }) => grid,
  house: ({ house }) => house,
  firmware: ({ firmware }) => firmware,
  access: ({ system }) => SCOPES.indexOf(scopeOf(system.access)),
  contact: ({ contact }) => contact,
}

/** Equal rows are sorted worst first, then by customer, so that the order is stable. */
export function sortedRows(
  rows: readonly Row[],
  { sort, descending }: Pick<View, 'sort' | 'descending'>,
): Row[] {
  // One key per row instead of two per comparison: thousands of rows are sorted every second.
  const keyed = rows.map((row) => ({ row, key: KEY[sort](row) }))
  const turn = descending ? -1 : 1
  keyed.sort((a, b) => compare(a.key, b.key, turn) || ties(a.row, b.row))
  return keyed.map(({ row }) => row)
}

function compare(a: number | string | null, b: number | string | null, turn: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * turn
  return byName(String(a), String(b)) * turn
}

const ties = (a: Row, b: Row) =>
  worst(a) - worst(b) || compare(a.rank, b.rank, 1) || (a.sn < b.sn ? -1 : Number(a.sn > b.sn))

/** The fleet's groups, by name. */
export const groupsOf = (rows: readonly Pick<Row, 'group'>[]): string[] =>
  [...new Set(rows.map(({ group }) => group).filter(Boolean))].sort(byName)
