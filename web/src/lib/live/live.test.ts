import { describe, expect, it } from 'vitest'
import {
  entriesOf,
  type FlagSets,
  type LiveDocument,
  type LiveEntry,
  newerOf,
  skewOf,
  withChanges,
} from './live'

const entry = (received_at: number | null, PV_power = 0) => ({ received_at, PV_power }) as LiveEntry
const live = (entries: Record<string, LiveEntry>) => ({ entries, skew: 0 })

describe('live data', () => {
  it('are stored by serial number', () => {
    const data: LiveDocument['data'] = [{ A: entry(1) }, { '-1': entry(2) }]
    expect(entriesOf({ data, message3: {}, message5: {}, message6: {} })).toEqual({
      A: entry(1),
      '-1': entry(2),
    })
  })

  it('merge an event and keep the rest', () => {
    const changed = withChanges(live({ A: entry(1), B: entry(1) }), { B: entry(2) })
    expect(changed.entries).toEqual({ A: entry(1), B: entry(2) })
  })

  it('keep the flags of systems that an event does not contain', () => {
    const message3 = (rotation: boolean) => ({ m3_rotation: rotation }) as FlagSets['message3'][string]
    const flags = (by: FlagSets['message3']) => ({ message3: by, message5: {}, message6: {} })
    const known = { ...live({}), flags: flags({ A: message3(false), B: message3(false) }) }
    const changed = withChanges(known, {}, flags({ B: message3(true) }))
    expect(changed.flags?.message3).toEqual({ A: message3(false), B: message3(true) })
  })

  it('are not replaced by an answer that is older than the last event', () => {
    const known = live({ A: entry(20, 700), B: entry(10) })
    const answer = live({ A: entry(10, 500), B: entry(15, 300) })
    expect(newerOf(known, answer).entries).toEqual({ A: entry(20, 700), B: entry(15, 300) })
  })

  it('keep their identity without changes, or every render would cause the next', () => {
    const known = live({ A: entry(1) })
    expect(newerOf(known, known)).toBe(known)
  })

  it('lose a system that the answer no longer contains', () => {
    expect(Object.keys(newerOf(live({ A: entry(1), B: entry(1) }), live({ A: entry(2) })).entries)).toEqual([
      'A',
    ])
  })

  it('update when a system goes offline without a new message', () => {
    const silent = { ...entry(10), online: false }
    expect(newerOf(live({ A: { ...entry(10), online: true } }), live({ A: silent })).entries.A).toEqual(
      silent,
    )
  })

  it('keep an entry’s identity if an answer or event repeats it', () => {
    const known = live({ A: entry(10, 500), B: entry(10, 500) })
    const again = { A: entry(10, 500), B: entry(20, 700) }
    for (const { entries } of [newerOf(known, live(again)), withChanges(known, again)]) {
      expect(entries.A).toBe(known.entries.A)
      expect(entries.B).toEqual(entry(20, 700))
    }
  })
})

describe('the clock of this browser', () => {
  const now = Date.UTC(2026, 10, 15, 12, 0, 0)
  it.each([
    ['is right within the second of the header', 'Sun, 15 Nov 2026 12:00:01 GMT', 0],
    ['is ten minutes slow', 'Sun, 15 Nov 2026 12:10:00 GMT', 600_000],
    ['is an hour fast', 'Sun, 15 Nov 2026 11:00:00 GMT', -3_600_000],
    ['is taken as right without a header', null, 0],
  ])('%s', (_name, header, skew) => {
    expect(skewOf(header, now)).toBe(skew)
  })
})
