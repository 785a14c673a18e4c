import { describe, expect, it } from 'vitest'
import { settingsEntry } from '@/lib/testing/settings'
import { checkField, checkTogether, needsNotice, readTime } from './check'
import { desiredOf, type SettingName, type Value } from './fields'

const { fields } = settingsEntry('A')

describe('what people type', () => {
  it.each([
    ['reserve_soc', '0', null],
    ['reserve_soc', ' 100 ', null],
    ['reserve_soc', '101', 'soc_range'],
    ['reserve_soc', '-1', 'soc_range'],
    ['reserve_soc', '', 'required'],
    ['reserve_soc', 'ten', 'number_invalid'],
    ['reserve_soc', '10.5', 'number_invalid'],
    ['charge_start', '00:00', null],
    ['charge_end', '24:00', null],
    ['charge_end', '24:01', 'time_invalid'],
    ['charge_end', '07:60', 'time_invalid'],
    ['charge_end', 'noon', 'time_invalid'],
    ['discharge_end', '', 'required'],
    ['charge_limit', '4600', null],
    ['charge_limit', '4601', 'power_range'],
    // A whole number with a point means one thing to one person and another to the next.
    ['charge_limit', '4.000', 'number_invalid'],
    ['discharge_limit', '5000', null],
    ['charge_price', '12,5', null],
    ['charge_price', '-3.25', 'price_range'],
    ['charge_price', '12.345', 'price_invalid'],
    ['charge_price', '501', 'price_range'],
    ['import_price', '', null],
    ['vat', '8,1', null],
    ['vat', '8.15', 'number_invalid'],
    ['vat', '100.1', 'rate_range'],
    ['meter_type', '', 'required'],
    ['meter_type', 'sdm630', null],
    ['meter_address', '1', null],
    ['meter_address', '250', null],
    ['meter_address', '0', 'address_range'],
    ['meter_address', '251', 'address_range'],
    ['provider_token', '', null],
    ['provider_token', 'short', 'token_too_short'],
    ['provider_token', 'x'.repeat(20), null],
  ] as const)('into %s: "%s" is %s', (name, text, finding) => {
    const spec = fields[name]
    expect(spec && checkField(text, spec)).toBe(finding)
  })

  it.each([
    ['7', '07:00'],
    ['730', '07:30'],
    ['7:30', '07:30'],
    ['7.30', '07:30'],
    ['1230', '12:30'],
    ['24:00', '24:00'],
    ['noon', 'noon'],
  ])('as a time: %s is %s', (text, time) => expect(readTime(text)).toBe(time))
})

/** The settings of a system after these have changed. */
const changedTo = (
  changed: Partial<Record<SettingName, Value>>,
  system = settingsEntry('A'),
  givesToken = false,
) => checkTogether(system, (name) => changed[name] ?? desiredOf(system, name), givesToken)

describe('settings together', () => {
  it('may not have a window without a minute', () => {
    expect(changedTo({ charge_start: '08:00', charge_end: '08:00' })).toEqual({ charge_end: 'window_empty' })
    expect(changedTo({ discharge_start: '22:00', discharge_end: '06:00' })).toEqual({})
  })

  it('need a provider for whoever goes by prices, and the price that never changes', () => {
    expect(changedTo({ dynamic_tariff: 'price' })).toEqual({ provider: 'provider_required' })
    expect(changedTo({ dynamic_tariff: 'price', provider: 'fixed' })).toEqual({ import_price: 'required' })
    expect(changedTo({ dynamic_tariff: 'price', provider: 'fixed', import_price: 30 })).toEqual({})
  })

  it('need a token for a provider that asks for one, and never that of another', () => {
    expect(changedTo({ provider: 'tibber' })).toEqual({ provider_token: 'required' })
    expect(changedTo({ provider: 'tibber' }, undefined, true)).toEqual({})
    const withToken = settingsEntry('A', { desired: { provider: 'tibber', provider_token: '…1a2b' } })
    expect(changedTo({}, withToken)).toEqual({})
    expect(changedTo({ provider: 'entsoe' }, withToken)).toEqual({ provider_token: 'required' })
  })
})

describe('the notice under §14a', () => {
  it('is needed above 4.2 kW, until it was acknowledged', () => {
    expect(needsNotice(settingsEntry('A'), 4_201)).toBe(true)
    expect(needsNotice(settingsEntry('A'), 4_200)).toBe(false)
    expect(needsNotice(settingsEntry('A', { acknowledged_at: 1 }), 4_600)).toBe(false)
  })
})
