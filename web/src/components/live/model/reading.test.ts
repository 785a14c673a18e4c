import { describe, expect, it } from 'vitest'
import type { LiveEntry } from '@/lib/live/live'
import { directionOf } from '@/lib/power'
import { countedUntil, directionsOf, freshnessOf, readingOf } from './reading'

const NOW = Date.UTC(2026, 10, 15, 12)
const entry = (change: Partial<LiveEntry>) =>
  readingOf({ online: true, measured_at: NOW, ...change } as LiveEntry)

describe('a reading', () => {
  it.each([
    ['live', {}],
    ['live', { measured_at: NOW - 90_000 }],
    ['stale', { measured_at: NOW - 90_001 }],
    ['offline', { online: false, measured_at: NOW - 1_000 }],
    ['never', { online: false, measured_at: null }],
    ['offline', { online: false, measured_at: null, reporting: 0, systems: 2 }],
  ] as const)('is %s', (expected, change) => {
    expect(freshnessOf(entry(change), NOW, NOW)).toBe(expected)
  })

  it.each([
    ['live', 40_000],
    ['stale', 40_001],
  ] as const)("is %s when the portal's last answer is %i ms old", (expected, silence) => {
    expect(freshnessOf(entry({}), NOW, NOW - silence)).toBe(expected)
  })

  it.each([
    ['now, when both are fresh', {}, 60_000, null],
    ['the last answer, when nobody answers any more', {}, 90_001, NOW - 90_001],
    ['the last report of a silent battery', { online: false, measured_at: NOW - 5_000 }, 0, NOW - 5_000],
  ] as const)('has day sums up to %s', (_name, change, age, expected) => {
    const reading = entry(change)
    expect(countedUntil(reading, freshnessOf(reading, NOW, NOW), NOW - age, NOW)).toBe(expected)
  })

  it('has null for what was not measured, never zero', () => {
    expect(entry({})).toMatchObject({ pv: null, grid: null, battery: null, house: null, soc: null })
    expect(entry({ PV_power: 0 }).pv).toBe(0)
  })

  it('says how many of several systems report', () => {
    expect(entry({ reporting: 2, systems: 3 }).together).toEqual({ reporting: 2, systems: 3 })
    expect(entry({}).together).toBeNull()
  })

  it('has a wider dead band for the summed grid power of several systems only', () => {
    const three = { reporting: 3, systems: 3 }
    expect(directionsOf(entry({ grid_power: 80, battery_power: 70, ...three }))).toEqual({
      grid: 'idle',
      battery: 'positive',
    })
    expect(directionsOf(entry({ grid_power: -91, battery_power: -30, ...three }))).toEqual({
      grid: 'negative',
      battery: 'idle',
    })
    expect(directionsOf(entry({ grid_power: 31, battery_power: -31 }))).toEqual({
      grid: 'positive',
      battery: 'negative',
    })
  })

  it('has a word for its direction', () => {
    expect([500, -500, 30, -30, null].map((watts) => directionOf(watts))).toEqual([
      'positive',
      'negative',
      'idle',
      'idle',
      null,
    ])
  })
})
