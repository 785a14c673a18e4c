/** The journal's filter in the address, so that links keep it. */
export const KINDS = ['settings', 'command', 'update', 'battery', 'access', 'account', 'operator'] as const
export const ACTORS = ['you', 'person', 'battery', 'operator', 'portal'] as const
export type Kind = (typeof KINDS)[number]
export type Actor = (typeof ACTORS)[number]

export type JournalFilter = {
  sn?: string
  kind?: Kind
  actor?: Actor
  from?: string
  to?: string
  page?: number
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)

/** Ignores invalid values. */
export function readFilter(raw: Record<string, unknown>): JournalFilter {
  const filter: JournalFilter = {}
  if (typeof raw.sn === 'string' || typeof raw.sn === 'number') filter.sn = String(raw.sn)
  const kind = KINDS.find((one) => one === raw.kind)
  const actor = ACTORS.find((one) => one === raw.actor)
  if (kind) filter.kind = kind
  if (actor) filter.actor = actor
  if (isDay(raw.from)) filter.from = raw.from
  if (isDay(raw.to)) filter.to = raw.to
  if (typeof raw.page === 'number' && raw.page > 1) filter.page = Math.floor(raw.page)
  return filter
}

/** Changing the filter goes to the first page. Empty values are left out of the address. */
export function withChoice(filter: JournalFilter, choice: Partial<Record<keyof JournalFilter, string>>) {
  const { page: _, ...rest } = { ...filter, ...choice }
  return readFilter(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')))
}

export const isFiltered = ({ sn: _, page: __, ...chosen }: JournalFilter) => Object.keys(chosen).length > 0
