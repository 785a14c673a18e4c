/** Which answers the offline cache stores, and for how long. */
import { MAX_CACHED_CHARTS, MAX_CACHED_POINTS, MAX_ENTRIES_SAVED_LIVE, OFFLINE_MAX_AGE } from '../constants'
import type { Live } from '../live/live'
import type { CachedAnswer } from './cache-database'

/** Increase it when a format changes; other versions are deleted. */
export const VERSION = 2

/** Query kinds that are useful offline. Of the many charts only the last ones are kept. */
const CHARTS = ['energy', 'graph', 'savings']
const KINDS = ['systems', 'groups', 'live', 'tariff', ...CHARTS]

type CachedQuery = { queryKey: readonly unknown[]; state: { data: unknown } }

export function isCacheable({ queryKey: [kind], state: { data } }: CachedQuery): boolean {
  if (typeof kind !== 'string' || !KINDS.includes(kind) || !data) return false
  // A year of minutes would be too large for a phone.
  return kind !== 'graph' || (data as { time: unknown[] }).time.length <= MAX_CACHED_POINTS
}

/** Live data of thousands of systems changes every second, and saving it blocks several frames. */
export const isLarge = ({ queryKey: [kind], state: { data } }: CachedQuery): boolean =>
  kind === 'live' && Object.keys((data as Pick<Live, 'entries'>).entries).length > MAX_ENTRIES_SAVED_LIVE

type Reader = { account: string; now: number }

/** Only for the same account, and not if it is too old. */
export const isValidFor = ({ account, version, at }: CachedAnswer, reader: Reader) =>
  account === reader.account && version === VERSION && reader.now - at <= OFFLINE_MAX_AGE

type DatedRecord = Pick<CachedAnswer, 'id' | 'key' | 'at'>

/** Charts beyond the limit. */
export function surplusOf(cached: Iterable<DatedRecord>): string[] {
  const charts = [...cached].filter(({ key: [kind] }) => CHARTS.includes(String(kind)))
  return charts
    .sort((a, b) => b.at - a.at)
    .slice(MAX_CACHED_CHARTS)
    .map(({ id }) => id)
}
