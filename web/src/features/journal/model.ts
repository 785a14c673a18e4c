/** Which lines of the journal are shown, as the address keeps it: a link shows the same ones. */
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

/** What is wrong in an address is passed over. */
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

/** Another choice begins with its first page. What is empty does not stand in the address. */
export function withChoice(filter: JournalFilter, choice: Partial<Record<keyof JournalFilter, string>>) {
  const { page: _, ...rest } = { ...filter, ...choice }
  return readFilter(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')))
}

export const isFiltered = ({ sn: _, page: __, ...chosen }: JournalFilter) => Object.keys(chosen).length > 0
