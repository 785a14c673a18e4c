import { describe, expect, it } from 'vitest'
import { conflictsOf, failuresOf, fieldErrorsOf, isOutcome, type SaveOutcome, warningsOf } from './outcome'

const outcome: SaveOutcome = {
  success: ['A'],
  versions: { A: 4 },
  failure: {
    B: { charge_power: ['Bitte wählen Sie eine Leistung …'] },
    C: { sn: ['Das gibt es nicht.'] },
    D: { version: ['Jemand anderes hat gespeichert.'] },
    E: { ups: ['Etwas Neues.'] },
  },
  codes: { B: { charge_power: ['power_range'] }, C: { sn: ['not_found'] }, E: { ups: ['brand_new'] } },
  warnings: { A: { meter_address: ['Reserviert.'] }, F: { meter_address: ['Reserviert.'] } },
  conflicts: { D: { version: 7, changes: [] } },
}

describe('the result of saving', () => {
  it('is listed by system, with conflicts apart', () => {
    expect(failuresOf(outcome).map(({ sn }) => sn)).toEqual(['B', 'C', 'E'])
    expect(failuresOf(outcome)[1]?.texts).toEqual([{ name: null, text: 'Das gibt es nicht.' }])
    expect(conflictsOf(outcome)).toEqual(['D'])
  })

  it('is shown at the fields, by known code', () => {
    expect(fieldErrorsOf(outcome)).toEqual({ charge_power: 'power_range', ups: 'Etwas Neues.' })
  })

  it('lists each warning once', () => expect(warningsOf(outcome)).toEqual(['Reserviert.']))

  it('is distinguished from an error of the whole request', () => {
    expect(isOutcome(outcome)).toBe(true)
    expect(isOutcome({ detail: 'no', code: 'fleet_braked' })).toBe(false)
    expect(isOutcome(undefined)).toBe(false)
  })
})
