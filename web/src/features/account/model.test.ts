import { describe, expect, it } from 'vitest'
import { foundErrors } from '@/lib/form/model'
import { checkEmailChange, checkPasswordChange, checkProfile, profileBody } from './model'

const profile = {
  phone: '030 123456',
  address: ' Am Hang 3 ',
  country: 'DE',
  name: '',
  company: '',
  language: 'de',
}

describe('a profile', () => {
  it('sends a company only by its owner, a name only by an electrician, and a postal address only by an owner', () => {
    expect(foundErrors(checkProfile(profile, { leads: false, named: false }, () => null))).toEqual({})
    expect(foundErrors(checkProfile(profile, { leads: true, named: true }, () => null))).toEqual({
      name: 'required',
      company: 'required',
    })
    const typed = { ...profile, name: ' Eva Blitz ', company: ' Blitz ' }
    const bodyOf = (role: Parameters<typeof profileBody>[1]) => profileBody(typed, role)
    const [name, company] = ['Eva Blitz', 'Blitz']
    expect(bodyOf({ isElectrician: true, leads: true })).toMatchObject({ name, company })
    expect(bodyOf({ isElectrician: true, leads: false })).toEqual({
      phone: '030 123456',
      country: 'DE',
      language: 'de',
      name,
    })
    expect(bodyOf({ isElectrician: false, leads: false })).toEqual({
      phone: '030 123456',
      address: 'Am Hang 3',
      country: 'DE',
      language: 'de',
    })
    expect(profileBody(profile, { isElectrician: true, leads: true })).not.toHaveProperty('name')
  })
})

describe('a new password', () => {
  it('requires the old one, the rules and its repetition', () => {
    const values = { password: '', new_password: 'short', new_password2: 'other' }
    expect(foundErrors(checkPasswordChange(values))).toEqual({
      password: 'required',
      new_password: 'password_weak',
      new_password2: 'passwords_differ',
    })
  })
})

describe('a new address', () => {
  it('requires the password', () => {
    expect(foundErrors(checkEmailChange({ email: 'a@example.com', password: '' }))).toEqual({
      password: 'required',
    })
  })
})
