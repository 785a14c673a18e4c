/** The fleet's search parameters: search, filter and order. */
import { FILTERS, type Filter, SORTS, type Sort, type View } from './view'

export type FleetSearch = { q?: string; show?: Filter; group?: string; sort?: Sort; down?: boolean }

/** The default: everything, worst first. */
export function viewOf(search: FleetSearch): View {
  return {
    q: search.q ?? '',
    filter: search.show ?? 'all',
    group: search.group ?? null,
    sort: search.sort ?? 'status',
    descending: search.down ?? false,
  }
}

/** Ignores invalid values. A search for digits arrives as a number. */
export function readFleetSearch(raw: Record<string, unknown>): FleetSearch {
  const search: FleetSearch = {}
  const text = (value: unknown) => (typeof value === 'number' ? String(value) : value)
  const [q, group] = [text(raw.q), text(raw.group)]
  if (typeof q === 'string' && q !== '') search.q = q
  if (typeof group === 'string') search.group = group
  const show = FILTERS.find((filter) => filter === raw.show)
  const sort = SORTS.find((one) => one === raw.sort)
  if (show && show !== 'all') search.show = show
  if (sort && sort !== 'status') search.sort = sort
  if (raw.down === true) search.down = true
  return search
}

/** A first click sorts in the column's default direction, a second one reverses it. */
export function withSort(search: FleetSearch, sort: Sort): FleetSearch {
  const { sort: now, descending } = viewOf(search)
  return readFleetSearch({ ...search, sort, down: sort === now && !descending })
}

/** Empty values are left out of the address. */
export const withChange = (search: FleetSearch, change: FleetSearch): FleetSearch =>
  readFleetSearch({ ...search, ...change })
