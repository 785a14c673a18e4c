import { describe, expect, it } from 'vitest'
import type { System } from '@/lib/data/systems'
import type { LiveEntry } from '@/lib/live/live'
import { liveEntry } from '@/lib/testing/live'
import { indexOf, rowsOf } from './row'

const now = Date.UTC(2026, 10, 15, 12)
const system = (special: Partial<System> = {}): System => ({
  sn: 'SC24A0001',
  phase: 1,
  access: 'service',
  isActive: true,
  time_zone: 'Europe/Berlin',
  master_version: '4.12',
  gateway_version: '2.33',
  ...special,
})
const entry = (special: Partial<LiveEntry> = {}) =>
  liveEntry({ measured_at: now - 10_000, received_at: now - 9_000, ...special })
const flags = (...on: string[]) =>
  Object.fromEntries(
    Object.keys(liveEntry().message2).map((flag) => [flag, on.includes(flag)]),
  ) as LiveEntry['message2']

const row = (live: LiveEntry | undefined, special: Partial<System> = {}) =>
  rowsOf(indexOf([system(special)]), { entries: live ? { SC24A0001: live } : {} }, now)[0]

describe('a row', () => {
  it('has powers, state of charge and firmware of a reporting system', () => {
    expect(row(entry(), { first_name: 'Katrin', last_name: 'Albers', group_name: 'Süd' })).toMatchObject({
      status: 'fine',
      customer: 'Albers, Katrin',
      group: 'Süd',
      soc: 91,
      pv: 7_000,
      battery: -1_900,
      grid: -4_340,
      firmware: '4.12 / 2.33',
      contact: now - 9_000,
    })
  })

  it('has no powers while the system is offline, not zero', () => {
    const away = row(entry({ online: false, received_at: now - 86_400_000 }))
    expect(away).toMatchObject({ status: 'offline', pv: null, battery: null, grid: null, house: null })
    expect(away?.contact).toBe(now - 86_400_000)
  })

  it('of a system that never reported is offline without a last contact', () => {
    expect(row(undefined)).toMatchObject({ status: 'offline', soc: null, contact: null, fault: null })
  })

  it('is stale after 90 s without values', () => {
    expect(row(entry({ measured_at: now - 90_000 }))?.status).toBe('fine')
    expect(row(entry({ measured_at: now - 90_001 }))?.status).toBe('stale')
  })

  it('keeps its identity while nothing changes', () => {
    const index = indexOf([system(), system({ sn: 'SC24A0002' })])
    const entries = { SC24A0001: entry(), SC24A0002: entry({ measured_at: now - 85_000 }) }
    const before = rowsOf(index, { entries }, now)
    const [first, second] = rowsOf(index, { entries }, now + 10_000, before)
    expect(first).toBe(before[0])
    expect(second?.status).toBe('stale')
    const [reported] = rowsOf(index, { entries: { ...entries, SC24A0001: entry({ SOC: 12 }) } }, now, before)
    expect(reported?.soc).toBe(12)
    const [renamed] = rowsOf(indexOf([system({ last_name: 'Albers' })]), { entries }, now, before)
    expect(renamed?.customer).toBe('Albers')
  })

  it('changes its rank if a name is inserted before it', () => {
    const zimmer = system({ last_name: 'Zimmer' })
    const before = rowsOf(indexOf([zimmer]), { entries: {} }, now)
    const [moved] = rowsOf(
      indexOf([zimmer, system({ sn: 'SC24A0002', last_name: 'Łoś' })]),
      { entries: {} },
      now,
      before,
    )
    expect([before[0]?.rank, moved?.rank]).toEqual([0, 1])
  })

  it('names the most serious fault', () => {
    expect(row(entry({ message2: flags('sm1', 'na_schutz', 'bat') }))).toMatchObject({
      status: 'fault',
      fault: 'bat',
    })
    expect(row(entry({ message2: flags('sm1', 'na_schutz') }))?.fault).toBe('na_schutz')
    expect(row(entry({ battery_status: 'fault' }))).toMatchObject({ status: 'fault', fault: null })
  })

  it('counts neither calibration as a fault, nor earlier faults of an offline system', () => {
    expect(row(entry({ message2: flags('sv') }))?.status).toBe('fine')
    expect(row(entry({ message2: flags('bat'), online: false }))).toMatchObject({
      status: 'offline',
      fault: null,
    })
  })

  it('that is switched off has no fault because of its open relay, but because of any other flag', () => {
    expect(row(entry({ message2: flags('aus', 'relay') }))).toMatchObject({
      status: 'off',
      fault: null,
      off: true,
    })
    expect(row(entry({ battery_status: 'off', message2: flags('relay') }))?.status).toBe('off')
    expect(row(entry({ message2: flags('ein', 'relay') }))).toMatchObject({ status: 'fault', fault: 'relay' })
    expect(row(entry({ message2: flags('aus', 'relay', 'bat') }))).toMatchObject({
      status: 'fault',
      fault: 'bat',
    })
  })

  it.each([
    ['update', 'restricted'],
    ['pause', 'off'],
    ['grid_limit', 'off'],
  ])('switched off with %s in force is %s', (kind, status) => {
    const in_force = [{ kind, since: now, until: null, by: null, end: null }]
    const off = entry({ in_force, message2: flags('aus', 'relay') })
    expect(row(off)?.status).toBe(status)
  })

  it('that is switched off becomes stale like any other', () => {
    const index = indexOf([system()])
    const entries = { SC24A0001: entry({ message2: flags('aus', 'relay') }) }
    const before = rowsOf(index, { entries }, now)
    expect(rowsOf(index, { entries }, now + 90_000, before)[0]?.status).toBe('stale')
  })

  it.each([
    ['update', 'restricted'],
    ['pause', 'restricted'],
    ['grid_limit', 'restricted'],
    ['charge', 'fine'],
    ['plan', 'fine'],
    ['brake', 'fine'],
  ])('with %s in force is %s', (kind, status) => {
    const in_force = [{ kind, since: now, until: null, by: null, end: null }]
    expect(row(entry({ in_force }))?.status).toBe(status)
    expect(row(entry({ in_force, battery_status: 'fault' }))?.status).toBe('fault')
    expect(row(entry({ in_force, online: false }))?.status).toBe('offline')
  })

  it('is updating, not offline, while its update restarts it', () => {
    const in_force = [{ kind: 'update', state: 'running', since: now, until: null, by: null, end: null }]
    const away = (since: number) => row(entry({ in_force, online: false, state_since_at: since }))
    expect(away(now - 5_000)).toMatchObject({ status: 'restricted', pv: null })
    expect(away(now - 600_000)?.status).toBe('offline')
  })

  it('is fine again when a pause is over, without a message from the battery', () => {
    const index = indexOf([system()])
    const in_force = [{ kind: 'pause', since: now, until: now + 5_000, by: null, end: null }]
    const entries = { SC24A0001: entry({ in_force }) }
    const before = rowsOf(index, { entries }, now)
    expect(before[0]?.status).toBe('restricted')
    expect(rowsOf(index, { entries }, now + 5_000, before)[0]?.status).toBe('fine')
  })

  it('shows a dash for an invalid version', () => {
    expect(row(entry(), { master_version: 'beta', gateway_version: null })?.firmware).toBe('- / -')
  })
})
