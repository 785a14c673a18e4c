/** Validation by the table that the server's tests share. */
import { describe, expect, it } from 'vitest'
import cases from '../../../../cases/validation.json'
import { COUNTRIES, type Country } from './countries'
import { checkEmail } from './email'
import { checkGroupName } from './group-name'
import { checkKey, checkKeys, checkRegistrationCode, checkSerial, normaliseKey, splitKeys } from './key'
import { checkPassword, checkPasswordRepeat } from './password'
import { checkPhone } from './phone'
import { checkPrice } from './price'
import { checkTerms } from './terms'

describe('the shared table', () => {
  it.each(cases.password)('password $value → $code', ({ value, code }) => {
    expect(checkPassword(value)).toBe(code)
  })
  it.each(cases.serial)('serial number $value → $code', ({ value, code }) => {
    expect(checkSerial(value)).toBe(code)
  })
  it.each(cases.registration_code)('registration code $value → $code', ({ value, code }) => {
    expect(checkRegistrationCode(value)).toBe(code)
  })
  it.each(cases.key)('key $value → $code', ({ value, code }) => {
    expect(checkKey(value)).toBe(code)
  })
  it.each(cases.phone)('phone $value in $country → $code', ({ value, country, code }) => {
    expect(COUNTRIES).toContain(country)
    expect(checkPhone(value, country as Country)).toBe(code)
  })
  it.each(cases.price)('price $value → $code', ({ value, code }) => {
    expect(checkPrice(value)).toBe(code)
  })
  it.each(cases.email)('e-mail $value → $code', ({ value, code }) => {
    expect(checkEmail(value)).toBe(code)
  })
  it.each(cases.group_name)('group name $value → $code', ({ value, code }) => {
    expect(checkGroupName(value)).toBe(code)
  })
})

describe('the terms', () => {
  it('must be agreed to', () => {
    expect(checkTerms(false)).toBe('terms_required')
    expect(checkTerms(true)).toBeNull()
  })
})

describe('a repeated password', () => {
  it('must be exactly the same', () => {
    expect(checkPasswordRepeat('Sonnenschein-1!', 'Sonnenschein-1!')).toBeNull()
    expect(checkPasswordRepeat('Sonnenschein-1!', 'sonnenschein-1!')).toBe('passwords_differ')
    expect(checkPasswordRepeat('Sonnenschein-1!', '')).toBe('required')
  })
})

describe('a list of keys', () => {
  it('requires one, in any of its fields', () => {
    expect(checkKeys(['', '', ''])).toEqual(['key_required', null, null])
    expect(checkKeys(['', '8K2041773', ''])).toEqual([null, null, null])
  })
  it('refuses duplicates in any notation', () => {
    const code = 'ABCDE-FGHJK-MNPQR-STVWX'
    expect(checkKeys([code, ` ${code.toLowerCase()} `, ''])).toEqual([null, 'key_repeated', null])
  })
  it('reports each wrong key', () => {
    expect(checkKeys(['8K2041773', '8k2041774', 'X'])).toEqual([null, 'serial_uppercase', 'serial_format'])
  })
  it('has at most three at registration', () => {
    expect(checkKeys(['AAAAAA', 'BBBBBB', 'CCCCCC', 'DDDDDD'])).toEqual([null, null, null, 'too_many_keys'])
  })
  it('is split from a text, with spaces between numbers or between the groups of a code', () => {
    expect(splitKeys('8K2041773 8K2041774,abcde fghjk mnpqr stvwx\n 8K2041775 ;')).toEqual([
      '8K2041773',
      '8K2041774',
      'abcde fghjk mnpqr stvwx',
      '8K2041775',
    ])
    expect(splitKeys(' , ')).toEqual([])
  })
  it('is sent with trimmed keys', () => {
    expect(normaliseKey('  8K2041773 ')).toBe('8K2041773')
    for (const typed of [
      'abcde-fghjk-mnpqr-stvwx',
      ' abcde fghjk mnpqr stvwx',
      'ABCDEFGHJKMNPQRSTVWX',
      'abcde–fghjk–mnpqr–stvwx',
    ])
      expect(normaliseKey(typed)).toBe('ABCDE-FGHJK-MNPQR-STVWX')
  })
})
