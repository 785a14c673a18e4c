import { describe, expect, it } from 'vitest'
import type { LiveEntry } from '@/lib/live/live'
import { liveEntry } from '@/lib/testing/live'
import { concernsOf, silentOf } from './concerns'
import { readingOf } from './reading'

const NOW = Date.now()
const flags = liveEntry().message2
const limit = { kind: 'grid_limit', since: NOW, until: null, by: 'grid_operator', end: null, power: 4_200 }
const kindsOf = (special: Partial<LiveEntry>) =>
  concernsOf(readingOf(liveEntry({ measured_at: NOW - 5_000, ...special })), NOW).map(({ kind }) => kind)

describe('all is well', () => {
  it('only where nothing is the matter', () => expect(kindsOf({})).toEqual([]))

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

  describe('of all systems together', () => {
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

    it('where every one of them is', () => expect(concernsOf(together({ A: {}, B: {} }), NOW)).toEqual([]))

    it('never while one does not report, which is named', () => {
      const reading = together({ A: {}, B: { online: false }, C: { online: false, measured_at: null } })
      expect(concernsOf(reading, NOW)).toEqual([
        { kind: 'silent', sn: 'B' },
        { kind: 'silent', sn: 'C' },
      ])
      expect(silentOf(reading, NOW)).toEqual(['B', 'C'])
    })

    it('never beside a fault of one, which the status of all does not tell', () =>
      expect(concernsOf(together({ A: {}, B: { battery_status: 'fault' } }), NOW)).toEqual([
        { kind: 'fault' },
      ]))

    it('never while one is missing whose name is not known', () => {
      const all = liveEntry({ measured_at: NOW - 5_000, reporting: 1, systems: 2 })
      expect(concernsOf(readingOf(all), NOW)).toEqual([{ kind: 'offline' }])
    })

    it('names nobody whom an update restarts', () => {
      const away = { online: false, state_since_at: NOW - 5_000, in_force: [update] }
      expect(silentOf(together({ A: {}, B: away }), NOW)).toEqual([])
    })
  })

  it('also beside a plan, a calibration and the reserve', () => {
    const quiet = ['plan', 'calibration', 'reserve'].map((kind) => ({ ...limit, kind }))
    expect(kindsOf({ in_force: quiet, message2: { ...flags, sv: true } })).toEqual([])
  })
})
