/** Live data in the browser: the newest entry of each system, and of all together. */
import { replaceEqualDeep } from '@tanstack/react-query'
import type { components } from '../api/schema'

export type LiveDocument = components['schemas']['LiveData']
export type LiveEntry = components['schemas']['LiveEntry']

/** The serial number of the entry for all systems. */
export const ALL_SYSTEMS = '-1'

/** Flag sets that only electricians see. */
export type FlagSets = Pick<LiveDocument, 'message3' | 'message5' | 'message6'>

export type Live = {
  entries: Readonly<Record<string, LiveEntry>>
  /** By serial number. Missing in what an older version has cached. */
  flags?: FlagSets
  /**
   * The server time of the answer; the stream continues from there. Missing in what an older version has
   * cached.
   */
  at?: number
  /** Server time minus browser time in ms, so that a wrong clock makes nothing look old. */
  skew: number
}

export const isLive = (data: unknown): data is Live =>
  typeof data === 'object' && data !== null && 'entries' in data

/** Merges the list of single-key objects into one. */
export const entriesOf = ({ data }: LiveDocument): Live['entries'] => Object.assign({}, ...data)

export const flagsOf = ({ message3, message5, message6 }: LiveDocument): FlagSets => ({
  message3,
  message5,
  message6,
})

/** Merges an event; systems without changes keep their entries. */
export const withChanges = (live: Live, changes: Live['entries'], flags?: FlagSets): Live => ({
  ...live,
  entries: {
    ...live.entries,
    ...mapEntries(changes, (entry, sn) => mergeEntry(live.entries[sn], entry)),
  },
  ...(flags && {
    flags: {
      message3: { ...live.flags?.message3, ...flags.message3 },
      message5: { ...live.flags?.message5, ...flags.message5 },
      message6: { ...live.flags?.message6, ...flags.message6 },
    },
  }),
})

/** The main switch opens the relay; only with the switch on an open relay is a fault. */
export const isOpenedBySwitch = (flag: string, flags: { aus?: boolean | undefined }): boolean =>
  flag === 'relay' && flags.aus === true

/** Serial numbers with a pending update. */
export const updatableOf = ({ entries }: Live): string[] =>
  Object.keys(entries).filter((sn) => sn !== ALL_SYSTEMS && entries[sn]?.updatable)

/** The number of unacknowledged alarms. Entries that an older version has cached have none. */
export const unseenAlarms = ({ entries }: Live): number =>
  Object.entries(entries)
    .flatMap(([sn, { alarms }]) => (sn === ALL_SYSTEMS ? [] : (alarms ?? [])))
    .filter(({ acknowledged }) => !acknowledged).length

/**
 * Merges an answer: it does not replace newer events of the stream. Unchanged entries keep their identity, so
 * that only changed rows of thousands are rendered.
 */
export function newerOf(known: Live, answer: Live): Live {
  if (known === answer) return answer
  return {
    ...answer,
    entries: mapEntries(answer.entries, (entry, sn) => {
      const before = known.entries[sn]
      return before && heardAt(before) > heardAt(entry) ? before : mergeEntry(before, entry)
    }),
  }
}

/**
 * Returns the known object if nothing differs. A newer report is not compared in depth, which is slow for
 * thousands.
 */
const mergeEntry = (before: LiveEntry | undefined, entry: LiveEntry) =>
  before && heardAt(before) === heardAt(entry) ? replaceEqualDeep(before, entry) : entry

const mapEntries = (
  entries: Live['entries'],
  map: (entry: LiveEntry, sn: string) => LiveEntry,
): Live['entries'] => Object.fromEntries(Object.entries(entries).map(([sn, entry]) => [sn, map(entry, sn)]))

const heardAt = ({ received_at }: LiveEntry) => received_at ?? 0

/** From the `Date` header, which has whole seconds: a few seconds count as no difference. */
export function skewOf(date: string | null, now: number): number {
  const skew = Date.parse(date ?? '') - now
  return Math.abs(skew) > 5_000 ? skew : 0
}
