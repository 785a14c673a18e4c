/** Live data as the browser keeps it: the newest word of each system, and of all of them together. */
import { replaceEqualDeep } from '@tanstack/react-query'
import type { components } from '../api/schema'

export type LiveDocument = components['schemas']['LiveData']
export type LiveEntry = components['schemas']['LiveEntry']

/** The serial number of the entry that stands for all systems. */
export const ALL_SYSTEMS = '-1'

/** What a battery says about itself beyond its entry; electricians look at it. */
export type FlagSets = Pick<LiveDocument, 'message3' | 'message5' | 'message6'>

export type Live = {
  entries: Readonly<Record<string, LiveEntry>>
  /** By serial number. Missing in what an older version of the app has kept. */
  flags?: FlagSets
  /** When the server answered, by its clock: the stream goes on from there. Missing in what an older version has kept. */
  at?: number
  /** Milliseconds that the server's clock is ahead of this browser's, so that a wrong clock makes nothing look old. */
  skew: number
}

export const isLive = (data: unknown): data is Live =>
  typeof data === 'object' && data !== null && 'entries' in data

/** The list of single-key objects as one object. */
export const entriesOf = ({ data }: LiveDocument): Live['entries'] => Object.assign({}, ...data)

export const flagsOf = ({ message3, message5, message6 }: LiveDocument): FlagSets => ({
  message3,
  message5,
  message6,
})

/** What an event of the stream changes; systems that it does not name, or brings no news of, stay as they are. */
export const withChanges = (live: Live, changes: Live['entries'], flags?: FlagSets): Live => ({
  ...live,
  entries: {
    ...live.entries,
    ...mapEntries(changes, (entry, sn) => newsOf(live.entries[sn], entry)),
  },
  ...(flags && {
    flags: {
      message3: { ...live.flags?.message3, ...flags.message3 },
      message5: { ...live.flags?.message5, ...flags.message5 },
      message6: { ...live.flags?.message6, ...flags.message6 },
    },
  }),
})

/** The main switch opens the relay: only while it is on, an open relay is a fault. */
export const isOpenedBySwitch = (flag: string, flags: { aus?: boolean | undefined }): boolean =>
  flag === 'relay' && flags.aus === true

/** Serial numbers with a pending update. */
export const updatableOf = ({ entries }: Live): string[] =>
  Object.keys(entries).filter((sn) => sn !== ALL_SYSTEMS && entries[sn]?.updatable)

/** How many alarms nobody has seen. What an older version of the app has kept has none. */
export const unseenAlarms = ({ entries }: Live): number =>
  Object.entries(entries)
    .flatMap(([sn, { alarms }]) => (sn === ALL_SYSTEMS ? [] : (alarms ?? [])))
    .filter(({ acknowledged }) => !acknowledged).length

/**
 * An answer that was under way while the stream brought something newer does not bring the old back. An entry without
 * news stays the same object: of thousands of rows only those are drawn again that changed.
 */
export function newerOf(known: Live, answer: Live): Live {
  if (known === answer) return answer
  return {
    ...answer,
    entries: mapEntries(answer.entries, (entry, sn) => {
      const before = known.entries[sn]
      return before && heardAt(before) > heardAt(entry) ? before : newsOf(before, entry)
    }),
  }
}

/** The known object where nothing differs. Whoever has reported since has news: to compare thousands in depth takes a while. */
const newsOf = (before: LiveEntry | undefined, entry: LiveEntry) =>
  before && heardAt(before) === heardAt(entry) ? replaceEqualDeep(before, entry) : entry

const mapEntries = (
  entries: Live['entries'],
  map: (entry: LiveEntry, sn: string) => LiveEntry,
): Live['entries'] => Object.fromEntries(Object.entries(entries).map(([sn, entry]) => [sn, map(entry, sn)]))

const heardAt = ({ received_at }: LiveEntry) => received_at ?? 0

/** From the `Date` header, which is exact to the second: less than a few seconds is no difference. */
export function skewOf(date: string | null, now: number): number {
  const skew = Date.parse(date ?? '') - now
  return Math.abs(skew) > 5_000 ? skew : 0
}
