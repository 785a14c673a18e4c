import { describe, expect, it } from 'vitest'
import { liveEntry } from '@/lib/testing/live'
import { fleetOf } from '../testing'
import { indexOf, rowsOf } from './row'
import { countsOf, filteredRows, foundRows, groupsOf, sortedRows } from './view'

const now = Date.UTC(2026, 10, 15, 12)
const names = (rows: readonly { sn: string }[]) => rows.map(({ sn }) => sn)
const rowsFor = (...fleet: Parameters<typeof fleetOf>[0]) => {
  const { systems, entries } = fleetOf(fleet, now)
  return rowsOf(indexOf(systems), { entries }, now)
}

const rows = rowsFor(
  { sn: 'AAAAA1', first_name: 'Anna', last_name: 'Zimmer', group_name: 'Süd', live: { SOC: 80 } },
  { sn: 'AAAAA2', last_name: 'Łoś', live: { online: false, SOC: 20 } },
  { sn: 'AAAAA3', last_name: 'Meier', group_name: 'Gewerbe', live: { battery_status: 'fault', SOC: 50 } },
  { sn: 'AAAAA4', last_name: 'Abel', group_name: 'Süd', live: { measured_at: now - 200_000, SOC: 60 } },
  { sn: 'AAAAA5', last_name: 'Berg', live: { updatable: true, SOC: null } },
)

describe('the order', () => {
  it('begins with the worst: fault, offline, stale, then fine by customer', () => {
    expect(names(sortedRows(rows, { sort: 'status', descending: false }))).toEqual([
      'AAAAA3',
      'AAAAA2',
      'AAAAA4',
      'AAAAA5',
      'AAAAA1',
    ])
  })

  it('has unknown values at the end in both directions', () => {
    expect(names(sortedRows(rows, { sort: 'soc', descending: false }))).toEqual([
      'AAAAA2',
      'AAAAA3',
      'AAAAA4',
      'AAAAA1',
      'AAAAA5',
    ])
    expect(names(sortedRows(rows, { sort: 'soc', descending: true })).at(-1)).toBe('AAAAA5')
  })

  it('sorts accented letters', () => {
    expect(names(sortedRows(rows, { sort: 'customer', descending: false }))).toEqual([
      'AAAAA4',
      'AAAAA5',
      'AAAAA2',
      'AAAAA3',
      'AAAAA1',
    ])
  })
})

describe('alarms', () => {
  const alarm = (kind: string, acknowledged = false) => ({
    id: 1,
    kind,
    text: kind,
    next: '',
    since: now,
    acknowledged,
  })
  const alarmed = rowsFor(
    { sn: 'AAAAA1', live: {} },
    { sn: 'AAAAA2', live: { battery_status: 'fault' } },
    { sn: 'AAAAA3', live: { alarms: [alarm('soc_floor')] } },
    { sn: 'AAAAA4', live: { alarms: [alarm('soc_floor'), alarm('battery_error', true)] } },
    { sn: 'AAAAA5', live: { alarms: [alarm('battery_error', true)] } },
    { sn: 'AAAAA6', live: { online: false, alarms: [alarm('offline')] } },
    { sn: 'AAAAA7', live: { alarms: [alarm('soc_floor'), alarm('na_schutz')] } },
  )

  it('come first, the most serious unacknowledged ones before all others', () => {
    expect(names(sortedRows(alarmed, { sort: 'status', descending: false }))).toEqual([
      'AAAAA7',
      'AAAAA6',
      'AAAAA3',
      'AAAAA4',
      'AAAAA5',
      'AAAAA2',
      'AAAAA1',
    ])
  })

  it('are counted, and a system with one is not well', () => {
    expect(countsOf(alarmed)).toMatchObject({ alarm: 5, offline: 1, well: 1 })
    expect(names(filteredRows(alarmed, 'well'))).toEqual(['AAAAA1'])
  })

  it('name unacknowledged ones first', () => {
    const texts = alarmed[3]?.alarms.map(({ text }) => text)
    expect(texts).toEqual(['soc_floor', 'battery_error'])
  })
})

describe('the filters', () => {
  it('count what they show', () => {
    expect(countsOf(rows)).toMatchObject({ all: 5, alarm: 0, attention: 2, offline: 1, update: 1, well: 2 })
    expect(names(filteredRows(rows, 'attention'))).toEqual(['AAAAA3', 'AAAAA4'])
    expect(names(filteredRows(rows, 'update'))).toEqual(['AAAAA5'])
    // A pending update is no fault: status and count say that all is well.
    expect(names(filteredRows(rows, 'well'))).toEqual(['AAAAA1', 'AAAAA5'])
  })

  it('distinguish updating, waiting for the switch, paused and limited systems', () => {
    const one = (special: { kind: string; state?: string; switch?: string; power?: number }) => ({
      since: now,
      until: null,
      by: null,
      end: null,
      ...special,
    })
    const busy = rowsFor(
      { sn: 'AAAAA1', live: { in_force: [one({ kind: 'update', state: 'running' })] } },
      {
        sn: 'AAAAA2',
        live: { in_force: [one({ kind: 'update', state: 'waits_for_switch', switch: 'off' })] },
      },
      { sn: 'AAAAA3', live: { in_force: [one({ kind: 'pause' })] } },
      { sn: 'AAAAA4', live: { in_force: [one({ kind: 'grid_limit', power: 4_200 })] } },
      { sn: 'AAAAA5' },
    )
    expect(countsOf(busy)).toMatchObject({ updating: 1, switch: 1, paused: 1, limited: 1, well: 1 })
    expect(names(filteredRows(busy, 'switch'))).toEqual(['AAAAA2'])
  })

  it('list a switched off battery as such, and not under "needs attention"', () => {
    const message2 = { ...liveEntry().message2, ein: false, aus: true, relay: true }
    const off = rowsFor({ sn: 'AAAAA1', live: { message2 } }, { sn: 'AAAAA2' })
    expect(countsOf(off)).toMatchObject({ off: 1, attention: 0, well: 1 })
  })

  it('find every word in serial number, customer and group', () => {
    expect(names(foundRows(rows, { q: 'los', group: null }))).toEqual(['AAAAA2'])
    expect(names(foundRows(rows, { q: ' sud  zimmer ', group: null }))).toEqual(['AAAAA1'])
    expect(names(foundRows(rows, { q: 'aaaaa3 süd', group: null }))).toEqual([])
  })

  it('select a group, and systems without one', () => {
    expect(groupsOf(rows)).toEqual(['Gewerbe', 'Süd'])
    expect(names(foundRows(rows, { q: '', group: 'Süd' }))).toEqual(['AAAAA1', 'AAAAA4'])
    expect(names(foundRows(rows, { q: '', group: '' }))).toEqual(['AAAAA2', 'AAAAA5'])
  })
})

it('filter, count and sort 5,000 systems', () => {
  const { systems, entries } = fleetOf(
    Array.from({ length: 5_000 }, (_, index) => ({
      sn: `SC${String(index).padStart(6, '0')}`,
      last_name: ['Kovač', 'Łoś', 'Müller', 'Petit'][index % 4],
      group_name: `Siedlung ${index % 40}`,
      live: { SOC: index % 101, online: index % 33 !== 0 },
    })),
    now,
  )
  const all = rowsOf(indexOf(systems), { entries }, now)
  const found = foundRows(all, { q: 'los siedlung', group: null })
  expect(countsOf(found).all).toBe(1_250)
  const shown = sortedRows(filteredRows(found, 'all'), { sort: 'status', descending: false })
  expect(shown).toHaveLength(1_250)
})
