import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import {
  bodyOf,
  changedNames,
  changesOf,
  conflictingChanges,
  findingsOf,
  raisesLimit,
  shownText,
  touchesWiring,
} from './draft'

const one = settingsEntry('A')
const other = settingsEntry('B', { desired: { reserve_soc: 30 } })

describe('the fields', () => {
  it('show what was typed, otherwise the common value, otherwise nothing', () => {
    expect(shownText({}, [one], 'reserve_soc', 'de')).toBe('10')
    expect(shownText({}, [one, other], 'reserve_soc', 'de')).toBeNull()
    expect(shownText({ reserve_soc: '5' }, [one, other], 'reserve_soc', 'de')).toBe('5')
  })

  it('use the decimal sign of the language, and never show a token', () => {
    const system = settingsEntry('A', { desired: { charge_price: 12.5, provider_token: '…1a2b' } })
    expect(shownText({}, [system], 'charge_price', 'de')).toBe('12,5')
    expect(shownText({}, [system], 'charge_price', 'en')).toBe('12.5')
    expect(shownText({}, [system], 'provider_token', 'de')).toBe('')
  })
})

describe('changes', () => {
  it('are the fields with a different value, by system', () => {
    expect(changesOf({ reserve_soc: '30' }, [one, other])).toEqual([
      { sn: 'A', name: 'reserve_soc', from: 10, to: 30 },
    ])
  })

  it('are none if only the notation differs', () => {
    expect(changesOf({ reserve_soc: ' 10 ', charge_price: '10,00', charge_start: '0:00' }, [one])).toEqual([])
  })

  it('are none if an optional field was emptied: the value stays', () => {
    const system = settingsEntry('A', { desired: { import_price: 32 } })
    expect(changesOf({ import_price: '', provider_token: ' ' }, [system])).toEqual([])
  })

  it('include invalid values, so that they are not lost unnoticed', () => {
    expect(changedNames(changesOf({ reserve_soc: 'ten' }, [one]))).toEqual(['reserve_soc'])
  })

  it('are sent as typed, but with complete times, and without other fields', () => {
    const draft = { charge_price: ' 12,5 ', charge_start: '7', reserve_soc: '10' }
    expect(bodyOf(draft, changesOf(draft, [one]))).toEqual({ charge_price: '12,5', charge_start: '07:00' })
  })

  it('of the wiring are detected', () => {
    const ask = (draft: object) => touchesWiring(changesOf(draft, [one]), [one])
    expect(ask({ reserve_soc: '50' })).toBe(false)
    expect(ask({ ups: 'true' })).toBe(true)
    expect(ask({ ups: 'false' })).toBe(false)
  })

  it('above 4.2 kW are detected', () => {
    const ask = (draft: object) => raisesLimit(changesOf(draft, [one]), [one])
    expect(ask({ charge_limit: '4600' })).toBe(true)
    expect(ask({ charge_limit: '4000' })).toBe(false)
  })
})

describe('errors', () => {
  it('are found in each field and across fields', () => {
    expect(findingsOf({ meter_address: '251', charge_end: '00:00' }, [one])).toEqual({
      meter_address: 'address_range',
      charge_end: 'window_empty',
    })
    expect(findingsOf({ reserve_soc: '20' }, [one])).toEqual({})
  })

  it('do not depend on a single one of several systems: each validates for itself', () => {
    const small = settingsEntry('B', {
      fields: { ...one.fields, charge_power: { ...one.fields.charge_power, max: 2_500 } as never },
    })
    expect(findingsOf({ charge_power: '4000' }, [small, one])).toEqual({})
    expect(findingsOf({ charge_power: '5000' }, [small, one])).toEqual({ charge_power: 'power_range' })
  })
})

describe('changes by others', () => {
  it('are all fields that differ from the start of editing', () => {
    const now = settingsEntry('A', { version: 4, desired: { reserve_soc: 30, ups: true } })
    expect(conflictingChanges([one], [now])).toEqual([
      { sn: 'A', name: 'reserve_soc', before: 10, now: 30 },
      { sn: 'A', name: 'ups', before: false, now: true },
    ])
  })

  it('are none if only the battery has reported', () => {
    expect(conflictingChanges([one], [settingsEntry('A', { reported_at: Date.now() })])).toEqual([])
  })
})
