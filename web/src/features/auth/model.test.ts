import { describe, expect, it } from 'vitest'
import { foundErrors } from '@/lib/form/model'
import {
  checkLogin,
  checkRegistration,
  emptyRegistration,
  type Registration,
  registrationBody,
} from './model'

const good: Registration = {
  ...emptyRegistration('DE'),
  email: ' anna@example.com ',
  password: 'Sonnenschein-1!',
  password2: 'Sonnenschein-1!',
  phone: '030 123456',
  sn1: ' 8K2041773 ',
  terms: true,
}
const phoneIsFine = () => null
const errorsOf = (values: Partial<Registration>, role: 'user' | 'electrician' = 'user') =>
  foundErrors(checkRegistration({ ...good, ...values }, role, phoneIsFine))

describe('a login', () => {
  it('accepts a password that breaks the rules of new ones', () => {
    expect(foundErrors(checkLogin({ email: 'anna@example.com', password: 'old' }))).toEqual({})
  })
})

describe('a registration', () => {
  it('of an owner requires one key, in any field', () => {
    expect(errorsOf({})).toEqual({})
    expect(errorsOf({ sn1: '', sn3: '8K2041773' })).toEqual({})
    expect(errorsOf({ sn1: '' })).toEqual({ sn1: 'key_required' })
  })

  it('shows the error of each key at its field', () => {
    expect(errorsOf({ sn2: '8k2041774', sn3: '8K2041773' })).toEqual({
      sn2: 'serial_uppercase',
      sn3: 'key_repeated',
    })
  })

  it('of an electrician requires a company and no key', () => {
    expect(errorsOf({ sn1: '', company: ' ' }, 'electrician')).toEqual({ company: 'required' })
    expect(errorsOf({ sn1: 'wrong key', company: 'Blitz GmbH' }, 'electrician')).toEqual({})
  })

  it('does not check the phone number without a country', () => {
    const values = { ...good, country: '' }
    expect(foundErrors(checkRegistration(values, 'user', () => 'phone_invalid'))).toEqual({
      country: 'country_unknown',
    })
  })

  it('leaves the phone number to the server if its rules did not load', () => {
    expect(foundErrors(checkRegistration({ ...good, phone: '1' }, 'user', null))).toEqual({})
    expect(foundErrors(checkRegistration({ ...good, phone: '' }, 'user', null))).toEqual({
      phone: 'required',
    })
  })

  it('sends nothing that belongs to the other role', () => {
    const both = { ...good, company: 'Blitz GmbH' }
    expect(registrationBody(both, 'user')).not.toHaveProperty('company')
    expect(registrationBody(both, 'electrician')).not.toHaveProperty('sn1')
    expect(registrationBody(both, 'user')).toMatchObject({ email: 'anna@example.com', sn1: '8K2041773' })
  })
})
