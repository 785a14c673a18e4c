import { describe, expect, it } from 'vitest'
import type { SystemTariffs } from '@/lib/data/money'
import { checkTariff, initialSystem, initialTariff, lacksPrices, pricesOn, tariffBody } from './model'

const TODAY = '2026-11-15'
const prices = { from: null, import_price: 32.5, feed_in_price: 8.1 }
const cheaper = { from: '2026-11-10', import_price: 29, feed_in_price: 8.1 }
const system = (sn: string, ...tariffs: SystemTariffs['tariffs']): SystemTariffs => ({
  sn,
  currency: 'EUR',
  tariffs,
})

describe('a price', () => {
  it('that is invalid is rejected at its field', () => {
    const form = { sn: 'A', import_price: '32,5', feed_in_price: 'acht', since: 'day', from: '' } as const
    expect(checkTariff(form)).toEqual({
      import_price: null,
      feed_in_price: 'price_invalid',
      from: 'required',
    })
  })

  it.each([
    ['beginning', 'null'],
    ['today', TODAY],
    ['day', '2026-12-01'],
  ] as const)('is sent as it was typed, and from %s on is %s', (since, from) => {
    const prices = { sn: 'A', import_price: '32,5', feed_in_price: '8,10' }
    expect(tariffBody({ ...prices, since, from: '2026-12-01' }, TODAY)).toEqual({ ...prices, from })
  })
})

describe('the form', () => {
  it('starts with the prices of today, in the format of the language', () => {
    const form = initialTariff([system('A', prices, cheaper)], 'A', TODAY, 'de')
    expect(form).toEqual({
      sn: 'A',
      import_price: '29,00',
      feed_in_price: '8,10',
      since: 'today',
      from: '',
    })
  })

  it('is empty without known prices', () => {
    expect(initialTariff([system('A')], 'A', TODAY, 'en')).toMatchObject({
      import_price: '',
      feed_in_price: '',
      since: 'beginning',
    })
  })

  it('of one system is for that one, also if all are selected', () => {
    expect(initialSystem([system('A')], '-1')).toBe('A')
  })

  it('of several systems is for the one without prices, otherwise for the selected one', () => {
    expect(initialSystem([system('A', prices), system('B')], '-1')).toBe('B')
    expect(initialSystem([system('A'), system('B')], '-1')).toBe('-1')
    expect(initialSystem([system('A', prices), system('B', prices)], '-1')).toBe('-1')
    expect(initialSystem([system('A', prices), system('B')], 'A')).toBe('A')
  })
})

describe('the prices of several systems', () => {
  it('are known if they are equal', () => {
    expect(pricesOn([system('A', prices), system('B', prices)], '-1', TODAY)).toEqual(prices)
    expect(pricesOn([system('A', prices), system('B', cheaper)], '-1', TODAY)).toBeNull()
    expect(pricesOn([system('A', prices), system('B')], '-1', TODAY)).toBeNull()
    expect(pricesOn([system('A', prices), system('B', cheaper)], 'B', TODAY)).toEqual(cheaper)
  })

  it('are missing while one of them has none', () => {
    expect(lacksPrices([system('A', prices), system('B')])).toBe(true)
    expect(lacksPrices([system('A', prices), system('B', cheaper)])).toBe(false)
  })
})
