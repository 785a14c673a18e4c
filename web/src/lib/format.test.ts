import { describe, expect, it } from 'vitest'
import {
  energyQuantity,
  formatCountdown,
  formatDate,
  formatDateTime,
  formatDayOfYear,
  formatDistinctTime,
  formatFullDay,
  formatLongDate,
  formatMoney,
  formatNumber,
  formatPeriod,
  formatTick,
  formatTime,
  formatVersion,
  formatWeekday,
  joinQuantity,
  powerQuantity,
  priceQuantity,
  voltageQuantity,
} from './format'

const moment = { locale: 'de', timeZone: 'Europe/Berlin' } as const
const afternoon = Date.UTC(2026, 2, 5, 15, 5)

describe('numbers', () => {
  it('follow the language', () => {
    expect(formatNumber(1234.5, 'de', 1)).toBe('1.234,5')
    expect(formatNumber(1234.5, 'en', 1)).toBe('1,234.5')
  })
  it('never show minus zero', () => {
    expect(formatNumber(-0.04, 'de', 1)).toBe('0,0')
    expect(formatNumber(-0, 'en')).toBe('0')
  })
  it('carry a typographic minus', () => {
    expect(formatNumber(-3, 'de')).toBe('\u22123')
  })
})

describe('units', () => {
  it('show power as magnitude, in W, and from 1 kW on in kW', () => {
    expect(joinQuantity(powerQuantity(-433, 'de'))).toBe('430\u202fW')
    expect(powerQuantity(1_900, 'de')).toEqual({ value: '1,9', unit: 'kW' })
    expect(powerQuantity(-1_900, 'en')).toEqual({ value: '1.9', unit: 'kW' })
  })
  it('never show 1,000 W', () => {
    expect(powerQuantity(996, 'de')).toEqual({ value: '1,0', unit: 'kW' })
  })
  it('show energy in kWh, and large amounts in MWh', () => {
    expect(energyQuantity(12_340, 'de')).toEqual({ value: '12,3', unit: 'kWh' })
    expect(energyQuantity(12_340_000, 'de')).toEqual({ value: '12,3', unit: 'MWh' })
  })
  it('show voltage with one decimal', () => {
    expect(joinQuantity(voltageQuantity(231.46, 'fr'))).toBe('231,5\u202fV')
  })
})

describe('money', () => {
  it.each([
    ['de', 'EUR', '3,20\u00a0€'],
    ['en', 'EUR', '€3.20'],
    ['pl', 'PLN', '3,20\u00a0zł'],
    ['fr', 'EUR', '3,20\u00a0€'],
    ['hr', 'EUR', '3,20\u00a0€'],
    ['de', 'CHF', '3,20\u00a0CHF'],
  ] as const)('in %s and %s reads %s', (locale, currency, text) => {
    expect(formatMoney(320, currency, locale)).toBe(text)
  })
  it('has no sign: cost and income are words', () => {
    expect(formatMoney(-320, 'EUR', 'de')).toBe('3,20\u00a0€')
    expect(formatMoney(-0, 'EUR', 'de')).toBe('0,00\u00a0€')
  })
  it('per energy uses the small coin of its currency', () => {
    expect(joinQuantity(priceQuantity(32.5, 'EUR', 'de'))).toBe('32,50\u202fct/kWh')
    expect(priceQuantity(95, 'PLN', 'pl')).toEqual({ value: '95,00', unit: 'gr/kWh' })
    expect(priceQuantity(28, 'CHF', 'en')).toEqual({ value: '28.00', unit: 'Rp./kWh' })
  })
})

describe('times', () => {
  it.each(['de', 'en', 'pl', 'fr', 'hr'] as const)('have 24 hours in %s', (locale) => {
    expect(formatTime(afternoon, { ...moment, locale })).toBe('16:05')
  })
  it('write midnight as 00:00', () => {
    expect(formatTime(Date.UTC(2026, 2, 4, 23, 0), { ...moment, locale: 'en' })).toBe('00:00')
  })
  it('that are repeated when the clock is set back have their zone', () => {
    const minutes = (n: number) => Date.parse('2026-10-24T23:45:00Z') + n * 60_000
    const times = [0, 15, 75, 135].map((n) => formatDistinctTime(minutes(n), moment))
    expect(times).toEqual(['01:45', '02:00 MESZ', '02:00 MEZ', '03:00'])
  })
  it('are those of the given zone', () => {
    expect(formatTime(afternoon, { locale: 'de', timeZone: 'Europe/Tallinn' })).toBe('17:05')
  })
  it('have dates in the format of the language', () => {
    expect(formatDate(afternoon, moment)).toBe('05.03.2026')
    expect(formatLongDate(afternoon, moment)).toBe('5. März 2026')
    expect(formatDateTime(afternoon, moment)).toBe('05.03.2026 16:05')
  })
  it('have European dates in English, where no month is taken for a day', () => {
    const english = { ...moment, locale: 'en' } as const
    expect(formatDate(afternoon, english)).toBe('5 Mar 2026')
    expect(formatDateTime(afternoon, english)).toBe('5 Mar 2026 16:05')
    expect(formatDayOfYear(afternoon, english)).toBe('5 Mar')
    expect(formatLongDate(afternoon, english)).toBe('5 March 2026')
    expect(formatPeriod('2026-06-21', 'Week', 'en')).toMatch(/^15\s?–\s?21 June 2026$/)
    expect(formatTick(afternoon, 'weekday', english)).toBe('Thu 5')
  })
  it('count down to zero and stop there', () => {
    expect(formatCountdown(29 * 60_000 + 4_500)).toBe('29:05')
    expect(formatCountdown(-1)).toBe('0:00')
  })
})

describe('periods', () => {
  it('are a day, a week, a month or a year', () => {
    expect(formatPeriod('2026-06-18', 'Day', 'de')).toBe('18. Juni 2026')
    expect(formatPeriod('2026-06-21', 'Week', 'de')).toBe('15.–21. Juni 2026')
    expect(formatPeriod('2026-06-18', 'Month', 'fr')).toBe('juin 2026')
    expect(formatPeriod('2026-06-18', 'Year', 'hr')).toBe('2026')
  })
  it('name their weekday in a calendar', () => {
    expect(formatFullDay('2026-11-15', 'de')).toBe('Sonntag, 15. November 2026')
    expect(formatWeekday('2026-11-15', 'long', 'en')).toBe('Sunday')
    expect(formatWeekday('2026-11-16', 'short', 'de')).toBe('Mo')
  })
  it('have short names on an axis', () => {
    expect(formatTick(afternoon, 'weekday', moment)).toBe('Do., 5.')
    expect(formatTick(afternoon, 'day', moment)).toBe('5')
    expect(formatTick(afternoon, 'month', moment)).toBe('Mär')
  })
})

describe('versions', () => {
  it('are shown only if they are valid', () => {
    expect(formatVersion('3.14')).toBe('3.14')
    expect(formatVersion('3.145')).toBe('-')
    expect(formatVersion(null)).toBe('-')
  })
})
