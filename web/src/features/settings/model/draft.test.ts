import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import {
  bodyOf,
  changedNames,
  changesOf,
  findingsOf,
  foreignChanges,
  raisesLimit,
  shownText,
  touchesWiring,
} from './draft'

const one = settingsEntry('A')
const other = settingsEntry('B', { desired: { reserve_soc: 30 } })

describe('what the boxes show', () => {
  it('is what was typed, else what all systems have, else nothing', () => {
    expect(shownText({}, [one], 'reserve_soc', 'de')).toBe('10')
    expect(shownText({}, [one, other], 'reserve_soc', 'de')).toBeNull()
    expect(shownText({ reserve_soc: '5' }, [one, other], 'reserve_soc', 'de')).toBe('5')
  })

  it('has the point of the language, and never a token', () => {
    const system = settingsEntry('A', { desired: { charge_price: 12.5, provider_token: '…1a2b' } })
    expect(shownText({}, [system], 'charge_price', 'de')).toBe('12,5')
    expect(shownText({}, [system], 'charge_price', 'en')).toBe('12.5')
    expect(shownText({}, [system], 'provider_token', 'de')).toBe('')
  })
})

describe('changes', () => {
  it('are the fields with another value, system by system', () => {
    expect(changesOf({ reserve_soc: '30' }, [one, other])).toEqual([
      { sn: 'A', name: 'reserve_soc', from: 10, to: 30 },
    ])
  })

  it('are none where the same is only written in another way', () => {
    expect(changesOf({ reserve_soc: ' 10 ', charge_price: '10,00', charge_start: '0:00' }, [one])).toEqual([])
  })

  it('are none where a box that may be empty was emptied: what is known is not forgotten', () => {
    const system = settingsEntry('A', { desired: { import_price: 32 } })
    expect(changesOf({ import_price: '', provider_token: ' ' }, [system])).toEqual([])
  })

  it('count before they can be read, so that nobody leaves a mistake behind', () => {
    expect(changedNames(changesOf({ reserve_soc: 'ten' }, [one]))).toEqual(['reserve_soc'])
  })

  it('are sent as they were typed, but with times in full, and nothing else is', () => {
    const draft = { charge_price: ' 12,5 ', charge_start: '7', reserve_soc: '10' }
    expect(bodyOf(draft, changesOf(draft, [one]))).toEqual({ charge_price: '12,5', charge_start: '07:00' })
  })

  it('of the wiring are known', () => {
    const ask = (draft: object) => touchesWiring(changesOf(draft, [one]), [one])
    expect(ask({ reserve_soc: '50' })).toBe(false)
    expect(ask({ ups: 'true' })).toBe(true)
    expect(ask({ ups: 'false' })).toBe(false)
  })

  it('above 4.2 kW are known', () => {
    const ask = (draft: object) => raisesLimit(changesOf(draft, [one]), [one])
    expect(ask({ charge_limit: '4600' })).toBe(true)
    expect(ask({ charge_limit: '4000' })).toBe(false)
  })
})

describe('mistakes', () => {
  it('are found in each field and between them', () => {
    expect(findingsOf({ meter_address: '251', charge_end: '00:00' }, [one])).toEqual({
      meter_address: 'address_range',
      charge_end: 'window_empty',
    })
    expect(findingsOf({ reserve_soc: '20' }, [one])).toEqual({})
  })

  it('are not made of what one of several systems can do: each judges for itself', () => {
    const small = settingsEntry('B', {
      fields: { ...one.fields, charge_power: { ...one.fields.charge_power, max: 2_500 } as never },
    })
    expect(findingsOf({ charge_power: '4000' }, [small, one])).toEqual({})
    expect(findingsOf({ charge_power: '5000' }, [small, one])).toEqual({ charge_power: 'power_range' })
  })
})

describe('what somebody else saved meanwhile', () => {
  it('is every field that differs from what was there at the beginning', () => {
    const now = settingsEntry('A', { version: 4, desired: { reserve_soc: 30, ups: true } })
    expect(foreignChanges([one], [now])).toEqual([
      { sn: 'A', name: 'reserve_soc', before: 10, now: 30 },
      { sn: 'A', name: 'ups', before: false, now: true },
    ])
  })

  it('is nothing when only the battery has reported', () => {
    expect(foreignChanges([one], [settingsEntry('A', { reported_at: Date.now() })])).toEqual([])
  })
})
