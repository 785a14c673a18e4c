import { describe, expect, it } from 'vitest'
import type { System } from '@/lib/data/systems'
import { settingsEntry } from '@/lib/testing/settings'
import type { BatchOutcome, SystemOutcome } from './data'
import {
  countsOf,
  differencesOf,
  draftOf,
  fieldsOf,
  findingsOf,
  firstText,
  formSystems,
  foundSystems,
  groupNames,
  inOrder,
  needsNotice,
  readSerials,
  refusedSerials,
  sentFields,
} from './model'

const system = (sn: string, more: Partial<System> = {}) =>
  ({ sn, access: 'service', first_name: null, last_name: null, group_name: null, ...more }) as System

describe('choosing systems', () => {
  const systems = [
    system('A1', { first_name: 'Anna', last_name: 'Berg', group_name: 'Süd' }),
    system('B2', { group_name: 'Nord' }),
    system('C3'),
  ]
  const serials = (q: string, group: string | null = null) =>
    foundSystems(systems, q, group).map(({ sn }) => sn)

  it('finds every word in any of the fields', () => {
    expect(serials('')).toEqual(['A1', 'B2', 'C3'])
    expect(serials('berg süd')).toEqual(['A1'])
    expect(serials('berg nord')).toEqual([])
    expect(serials('', 'Nord')).toEqual(['B2'])
    expect(groupNames(systems)).toEqual(['Nord', 'Süd'])
  })

  it('reads them from an address', () => {
    expect(readSerials('A1,B2')).toEqual(['A1', 'B2'])
    expect(readSerials(123456)).toEqual(['123456'])
    expect(readSerials(undefined)).toEqual([])
  })
})

describe('the changes', () => {
  const systems = formSystems(
    [settingsEntry('A'), settingsEntry('B', { desired: { reserve_soc: 40 } })],
    true,
  )

  it('start with the common value, or with the default', () => {
    expect(firstText(systems, 'charge_start', 'de')).toBe('00:00')
    expect(firstText(systems, 'reserve_soc', 'de')).toBe('10')
  })

  it('are only the checked fields, and require a value', () => {
    expect(sentFields({ reserve_soc: ' 30 ', charge_start: '7:30' })).toEqual({
      reserve_soc: '30',
      charge_start: '07:30',
    })
    expect(findingsOf({ reserve_soc: '' }, systems)).toEqual({ reserve_soc: 'required' })
    expect(findingsOf({ charge_start: '22:00', charge_end: '22:00' }, systems)).toEqual({
      charge_end: 'window_empty',
    })
    expect(findingsOf({ charge_start: '22:00' }, systems)).toEqual({})
  })

  it('are not limited by the loaded systems if others were not loaded', () => {
    expect(findingsOf({ charge_limit: '9000' }, systems)).toEqual({ charge_limit: 'power_range' })
    expect(findingsOf({ charge_limit: '9000' }, formSystems(systems, false))).toEqual({})
  })

  it('require the notice above 4.2 kW', () => {
    expect(needsNotice({ charge_limit: '4200' }, systems)).toBe(false)
    expect(needsNotice({ charge_limit: '4201' }, systems)).toBe(true)
  })

  it('of a template are filled in as typed text', () => {
    expect(draftOf({ fields: { reserve_soc: 30, charge_start: '22:00' } }, systems, 'de')).toEqual({
      reserve_soc: '30',
      charge_start: '22:00',
    })
  })

  it('exclude prices and tokens, which belong to the household', () => {
    expect(fieldsOf('tariff')).toEqual(['provider', 'dynamic_tariff', 'charge_power'])
  })
})

describe('the result', () => {
  const one = (sn: string, result: SystemOutcome['result'], online = true) =>
    ({ sn, result, online }) as SystemOutcome
  const outcome = {
    systems: [one('A', 'changed'), one('B', 'refused'), one('C', 'changed', false), one('D', 'unchanged')],
  } as BatchOutcome

  it('is counted, with the worst first', () => {
    expect(countsOf(outcome)).toEqual({ changed: 2, unchanged: 1, refused: 1, offline: 1 })
    expect(inOrder(outcome).map(({ sn }) => sn)).toEqual(['B', 'A', 'C', 'D'])
    expect(refusedSerials(outcome)).toEqual(['B'])
  })
})

it('compares a system’s settings with a template, field by field', () => {
  const { desired } = settingsEntry('SC24A0001')
  const reserve = desired.reserve_soc
  const other = Number(reserve) + 5
  expect(differencesOf({ fields: { reserve_soc: reserve } }, { desired })).toEqual([])
  expect(differencesOf({ fields: { reserve_soc: other } }, { desired })).toEqual([
    { name: 'reserve_soc', is: reserve, should: other },
  ])
})
