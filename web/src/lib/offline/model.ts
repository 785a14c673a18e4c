/** Which answers are worth keeping for a time without network, and for how long. */
import { ANSWER_MAX_AGE, CHARTS_KEPT, ENTRIES_SAVED_AT_ONCE, POINTS_KEPT } from '../constants'
import type { Live } from '../live/live'
import type { Answer } from './answers'

/** Another number, and what an older version of the app has kept is forgotten: it may have had another shape. */
export const VERSION = 2

/** What a person without network still wants to see. Charts are many: of these only the last ones. */
const CHARTS = ['energy', 'graph', 'savings']
const KINDS = ['systems', 'groups', 'live', 'tariff', ...CHARTS]

type Asked = { queryKey: readonly unknown[]; state: { data: unknown } }

export function isWorthKeeping({ queryKey: [kind], state: { data } }: Asked): boolean {
  if (typeof kind !== 'string' || !KINDS.includes(kind) || !data) return false
  // A year by the minute would fill the memory of a phone.
  return kind !== 'graph' || (data as { time: unknown[] }).time.length <= POINTS_KEPT
}

/** Live data of thousands of systems change every second, and writing them takes as long as several frames. */
export const isLarge = ({ queryKey: [kind], state: { data } }: Asked): boolean =>
  kind === 'live' && Object.keys((data as Pick<Live, 'entries'>).entries).length > ENTRIES_SAVED_AT_ONCE

type Reader = { account: string; now: number }

/** Nobody sees what somebody else was told, or what is too old to mean anything. */
export const mayBeShown = ({ account, version, at }: Answer, reader: Reader) =>
  account === reader.account && version === VERSION && reader.now - at <= ANSWER_MAX_AGE

type Dated = Pick<Answer, 'id' | 'key' | 'at'>

/** Charts beyond the last few. */
export function surplusOf(kept: Iterable<Dated>): string[] {
  const charts = [...kept].filter(({ key: [kind] }) => CHARTS.includes(String(kind)))
  return charts
    .sort((a, b) => b.at - a.at)
    .slice(CHARTS_KEPT)
    .map(({ id }) => id)
}
