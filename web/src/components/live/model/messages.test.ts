import { describe, expect, it } from 'vitest'
import { labelsOf, messagesOf } from './messages'

const message = (code: string, time = '2026-11-15 08:05:09') => ({ code, time, text: code, on: true })
const flags = {
  m: false,
  sm1: false,
  i: false,
  i1: false,
  i2: false,
  relay: false,
  bat: false,
  u: false,
  hw: false,
  sv: false,
  ein: false,
  aus: false,
  na_schutz: false,
}

describe("the battery's messages", () => {
  it('are sorted into grid protection, battery errors and the rest', () => {
    const { protection, battery, other } = messagesOf(
      ['na_u_high', 'bms_fault', 'calibration_due', 'na_island', 'meter_lost'].map((code) => message(code)),
    )
    expect(protection.map(({ code }) => code)).toEqual(['na_u_high', 'na_island'])
    expect(battery.map(({ code }) => code)).toEqual(['bms_fault', 'meter_lost'])
    expect(other.map(({ code }) => code)).toEqual(['calibration_due'])
  })

  it('leave out messages of a battery without a clock', () => {
    expect(messagesOf([message('na_u_low', '2000-0-0 0:0:0')]).protection).toEqual([])
  })
})

describe('the status labels', () => {
  it('are the flags that are set, except the main switch', () => {
    expect(labelsOf({ ...flags, ein: true, sv: true, sm1: true })).toEqual(['sm1', 'sv'])
    expect(labelsOf({ ...flags, aus: true })).toEqual([])
  })

  it('leave out the relay if the main switch has opened it', () => {
    expect(labelsOf({ ...flags, aus: true, relay: true, sm1: true })).toEqual(['sm1'])
    expect(labelsOf({ ...flags, ein: true, relay: true })).toEqual(['relay'])
  })

  it('cover every flag of the specification', () => {
    const all = Object.fromEntries(Object.keys(flags).map((flag) => [flag, true])) as typeof flags
    expect(labelsOf({ ...all, aus: false })).toEqual([
      'm',
      'sm1',
      'i2',
      'i1',
      'i',
      'relay',
      'bat',
      'u',
      'hw',
      'sv',
      'na_schutz',
    ])
  })
})
