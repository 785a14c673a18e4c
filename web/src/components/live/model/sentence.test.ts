import { describe, expect, it } from 'vitest'
import type { Freshness, Reading } from './reading'
import { fullAt, sentenceOf } from './sentence'

const NOW = Date.UTC(2026, 5, 18, 12, 0)
const noFlags = {
  m: false,
  sm1: false,
  i: false,
  i1: false,
  i2: false,
  relay: false,
  bat: false,
  u: false,
  hw: false,
} as const
const flags = { ...noFlags, sv: false, ein: true, aus: false, na_schutz: false }

const inForce = (kind: string, until: number | null = null) => ({
  kind,
  since: NOW,
  until,
  by: 'you',
  end: null,
})
const three = { reporting: 3, systems: 3 }

/** A house in the evening, with overrides. */
function situation(
  special: Partial<Reading> = {},
  freshness: Freshness = 'live',
  capacity: number | null = null,
) {
  const powers = { pv: 0, grid: 0, battery: 0, ...special }
  const reading: Reading = {
    soc: 60,
    voltage: 231,
    status: 'standby',
    flags,
    messages: [],
    calibrationDays: null,
    at: NOW - 2_000,
    online: true,
    since: NOW - 86_400_000,
    timeZone: 'Europe/Berlin',
    together: null,
    parts: [],
    inForce: [],
    alarm: false,
    house: (powers.pv ?? 0) + (powers.grid ?? 0) + (powers.battery ?? 0),
    ...powers,
  } as Reading
  return { reading, freshness, capacity, updating: false, now: NOW }
}

describe('the headline sentence', () => {
  it.each([
    ['sun runs the house', { pv: 900 }, 'sentence.sun'],
    ['a tenth from the grid changes nothing', { pv: 900, grid: 80 }, 'sentence.sun'],
    ['the battery runs it', { battery: 500 }, 'sentence.battery'],
    ['three batteries run it with little', { battery: 70, together: three }, 'sentence.battery'],
    ['the grid runs it', { grid: 500 }, 'sentence.grid'],
    ['sun and battery', { pv: 400, battery: 400 }, 'sentence.sun_battery'],
    ['sun and grid', { pv: 400, grid: 400 }, 'sentence.sun_grid'],
    ['battery and grid', { battery: 400, grid: 400 }, 'sentence.battery_grid'],
    ['all three', { pv: 300, battery: 300, grid: 300 }, 'sentence.sun_battery_grid'],
    ['nothing worth a word', { grid: 20 }, 'sentence.quiet'],
    ['sun, although most of it goes elsewhere', { pv: 7_000, grid: -4_000, battery: -2_000 }, 'sentence.sun'],
    ['a value is missing', { grid: null, house: null }, 'sentence.incomplete'],
    ['the main switch is off', { flags: { ...flags, ein: false, aus: true } }, 'sentence.off'],
    ['a fault', { pv: 900, status: 'fault' }, 'sentence.fault'],
    ['an open relay', { pv: 900, flags: { ...flags, relay: true } }, 'sentence.fault'],
    ['the protection tripped', { pv: 900, flags: { ...flags, na_schutz: true } }, 'sentence.protection'],
    [
      'the main switch is off for an update',
      { flags: { ...flags, ein: false, aus: true }, inForce: [inForce('update')] },
      'sentence.in_update',
    ],
    [
      'the main switch is still off after an update',
      { flags: { ...flags, ein: false, aus: true }, inForce: [{ ...inForce('update'), switch: 'on' }] },
      'sentence.off',
    ],
    ['a pause', { pv: 900, grid: -700, inForce: [inForce('pause')] }, 'sentence.paused'],
    ['a pause that is over', { pv: 900, inForce: [inForce('pause', NOW)] }, 'sentence.sun'],
    [
      'one of several pauses',
      { pv: 900, inForce: [inForce('pause')], together: { reporting: 2, systems: 2 } },
      'sentence.sun',
    ],
    [
      'one of several is off',
      { pv: 900, flags: { ...flags, aus: true }, together: { reporting: 2, systems: 2 } },
      'sentence.sun',
    ],
  ] as [string, Partial<Reading>, string][])('%s', (_name, special, headline) => {
    expect(sentenceOf(situation(special)).headline).toBe(headline)
  })

  it.each([
    ['never', 'sentence.never'],
    ['stale', 'sentence.stale'],
    ['offline', 'sentence.offline'],
  ] as const)('says %s before anything else, even with sun in the last values', (freshness, headline) => {
    const special = { pv: 900, status: 'fault' } as const
    expect(sentenceOf(situation(special, freshness)).headline).toBe(headline)
  })

  it('names the last contact of a system that is offline', () => {
    const since = NOW - 3 * 86_400_000
    const { detail } = sentenceOf(situation({ since, online: false }, 'offline'))
    expect(detail).toEqual({ id: 'sentence.offline.since', values: { at: since } })
  })

  it('says that the battery restarts during its update, for ten minutes', () => {
    const update = { ...inForce('update'), state: 'running' }
    const away = (special: Partial<Reading>) =>
      sentenceOf(situation({ online: false, since: NOW - 5_000, inForce: [update], ...special }, 'offline'))
    expect(away({}).headline).toBe('sentence.restarts')
    expect(away({ since: NOW - 600_000 }).headline).toBe('sentence.offline')
    expect(away({ inForce: [{ ...update, switch: 'on_then_off' }] }).headline).toBe('sentence.offline')
    expect(away({ inForce: [{ ...update, state: 'waiting' }] }).headline).toBe('sentence.offline')
    expect(away({ inForce: [{ ...update, state: 'interrupted' }] }).headline).toBe('sentence.offline')
  })

  it('does not blame the network while new values are loading', () => {
    expect(sentenceOf({ ...situation({}, 'stale'), updating: true }).headline).toBe('sentence.updating')
    expect(sentenceOf({ ...situation({}, 'live'), updating: true }).headline).toBe('sentence.quiet')
  })

  it('says that no system reports, for all systems together', () => {
    const special = { together: { reporting: 0, systems: 2 } }
    expect(sentenceOf(situation(special, 'offline')).headline).toBe('sentence.all_offline')
  })

  it.each([
    ['charging', { pv: 2_400, battery: -1_900 }, { id: 'sentence.charges', values: { power: 1_900 } }],
    [
      'charging and feeding in',
      { pv: 7_000, battery: -1_900, grid: -4_300 },
      { id: 'sentence.charges_and_feeds', values: { power: 1_900, other: 4_300 } },
    ],
    ['feeding in', { pv: 5_000, grid: -4_300 }, { id: 'sentence.feeds_in', values: { power: 4_300 } }],
    [
      'charging from the grid',
      { grid: 2_500, battery: -2_000 },
      { id: 'sentence.charges_from_grid', values: { power: 2_000 } },
    ],
    [
      'charging from sun and grid',
      { pv: 1_500, grid: 1_000, battery: -2_000 },
      { id: 'sentence.charges_also_from_grid', values: { power: 2_000 } },
    ],
    [
      'charging from the grid at the first light',
      { pv: 600, grid: 1_900, battery: -2_000 },
      { id: 'sentence.charges_from_grid', values: { power: 2_000 } },
    ],
    [
      'a trace of import beside a strong charge',
      { pv: 2_360, grid: 40, battery: -2_300 },
      { id: 'sentence.charges', values: { power: 2_300 } },
    ],
    [
      'the noise of three meters',
      { pv: 2_660, grid: 80, battery: -240, together: three },
      { id: 'sentence.charges', values: { power: 240 } },
    ],
    [
      'a fault with an alarm, which says what to do',
      { status: 'fault', alarm: true },
      { id: 'sentence.fault.alarm', values: {} },
    ],
    [
      'a small charge of three batteries, wherever it comes from',
      { grid: 80, battery: -70, together: three },
      { id: 'sentence.charges', values: { power: 70 } },
    ],
    ['discharging', { battery: 640 }, { id: 'sentence.discharges', values: { power: 640, soc: 60 } }],
    ['import', { grid: 640, soc: 5 }, { id: 'sentence.imports', values: { power: 640 } }],
    ['rest', { pv: 20 }, { id: 'sentence.soc', values: { soc: 60 } }],
    ['calibration', { pv: 900, status: 'calibrating' }, { id: 'sentence.calibrating', values: {} }],
  ] as [string, Partial<Reading>, object][])('adds a detail: %s', (_name, special, detail) => {
    expect(sentenceOf(situation(special)).detail).toEqual(detail)
  })

  it('says when the battery will be full only if that can be computed', () => {
    const special = { pv: 2_400, battery: -2_000, soc: 60 }
    const { detail } = sentenceOf(situation(special, 'live', 10_000))
    expect(detail).toEqual({
      id: 'sentence.charges_until',
      values: { power: 2_000, at: NOW + 2 * 3_600_000 },
    })
  })

  it.each([
    ['the capacity is unknown', { capacity: null }],
    ['the state of charge is unknown', { soc: null }],
    ['it is full', { soc: 100 }],
    ['it only trickles', { charge: 100 }],
    ['it would take longer than the sun can be foreseen', { charge: 900 }],
  ])('does not predict the end of charging when %s', (_name, change) => {
    expect(fullAt({ soc: 60, capacity: 10_000, charge: 2_000, now: NOW, ...change })).toBeNull()
  })
})
