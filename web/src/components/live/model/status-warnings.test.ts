import { describe, expect, it } from 'vitest'
import type { LiveEntry } from '@/lib/live/live'
import { liveEntry } from '@/lib/testing/live'
import { readingOf } from './reading'
import { silentOf, statusWarningsOf } from './status-warnings'

const NOW = Date.now()
const flags = liveEntry().message2
const limit = { kind: 'grid_limit', since: NOW, until: null, by: 'grid_operator', end: null, power: 4_200 }
const kindsOf = (special: Partial<LiveEntry>) =>
  statusWarningsOf(readingOf(liveEntry({ measured_at: NOW - 5_000, ...special })), NOW).map(
    ({ kind }) => kind,
  )

describe('the status warnings of a system', () => {
  it('are none only if nothing is wrong', () => expect(kindsOf({})).toEqual([]))

  it.each([
    ['a fault flag', { message2: { ...flags, bat: true } }, ['flag']],
    ['a fault without a flag', { battery_status: 'fault' }, ['fault']],
    ['an absent system', { online: false, message2: { ...flags, bat: true } }, ['offline']],
    [
      'an update that restarts its system',
      {
        online: false,
        state_since_at: NOW - 5_000,
        in_force: [{ ...limit, kind: 'update', state: 'running' }],
      },
      ['in_force'],
    ],
    ['a system that never reported', { measured_at: null, online: false }, ['offline']],
    ['an old value', { measured_at: NOW - 120_000 }, ['stale']],
    ['a limit of the grid operator', { in_force: [limit] }, ['in_force']],
    [
      'a main switch that is off, with its open relay',
      { message2: { ...flags, aus: true, relay: true } },
      ['off'],
    ],
    [
      'a fault of a system that is switched off',
      { message2: { ...flags, aus: true, relay: true, bat: true } },
      ['off', 'flag'],
    ],
  ] as [string, Partial<LiveEntry>, string[]][])('never beside %s', (_name, special, kinds) =>
    expect(kindsOf(special)).toEqual(kinds),
  )

  describe('the status warnings of all systems together', () => {
    const together = (parts: Record<string, Partial<LiveEntry>>) => {
      const entries = Object.fromEntries(
        Object.entries(parts).map(([sn, special]) => [
          sn,
          liveEntry({ measured_at: NOW - 5_000, ...special }),
        ]),
      )
      const systems = Object.keys(entries).length
      const reporting = Object.values(entries).filter(({ online }) => online).length
      const all = liveEntry({ measured_at: NOW - 5_000, reporting, systems })
      return readingOf(all, { ...entries, '-1': all })
    }
    const update = { ...limit, kind: 'update', state: 'running' }

    it('are none if every system is well', () =>
      expect(statusWarningsOf(together({ A: {}, B: {} }), NOW)).toEqual([]))

    it('name a system that does not report', () => {
      const reading = together({ A: {}, B: { online: false }, C: { online: false, measured_at: null } })
      expect(statusWarningsOf(reading, NOW)).toEqual([
        { kind: 'silent', sn: 'B' },
        { kind: 'silent', sn: 'C' },
      ])
      expect(silentOf(reading, NOW)).toEqual(['B', 'C'])
    })

    it('include a fault of one system, which the status of all does not show', () =>
      expect(statusWarningsOf(together({ A: {}, B: { battery_status: 'fault' } }), NOW)).toEqual([
        { kind: 'fault' },
      ]))

    it('report a missing system without a known name', () => {
      const all = liveEntry({ measured_at: NOW - 5_000, reporting: 1, systems: 2 })
      expect(statusWarningsOf(readingOf(all), NOW)).toEqual([{ kind: 'offline' }])
    })

    it('do not include a system that restarts for an update', () => {
      const away = { online: false, state_since_at: NOW - 5_000, in_force: [update] }
      expect(silentOf(together({ A: {}, B: away }), NOW)).toEqual([])
    })
  })

  it('are none beside a plan, a calibration and the reserve', () => {
    const quiet = ['plan', 'calibration', 'reserve'].map((kind) => ({ ...limit, kind }))
    expect(kindsOf({ in_force: quiet, message2: { ...flags, sv: true } })).toEqual([])
  })
})
