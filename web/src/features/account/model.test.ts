import { describe, expect, it } from 'vitest'
import { foundErrors } from '@/lib/form/model'
import { checkEmailChange, checkPasswordChange, checkProfile, profileBody } from './model'

const profile = { phone: '030 123456', country: 'DE', company: '', language: 'de' }

describe('a profile', () => {
  it('has a company only if it is an electrician’s', () => {
    expect(foundErrors(checkProfile(profile, false, () => null))).toEqual({})
    expect(foundErrors(checkProfile(profile, true, () => null))).toEqual({ company: 'required' })
    expect(profileBody(profile, false)).not.toHaveProperty('company')
    expect(profileBody({ ...profile, company: ' Blitz ' }, true)).toMatchObject({ company: 'Blitz' })
  })
})

describe('a new password', () => {
  it('needs the old one, the rules and itself once more', () => {
    const values = { password: '', new_password: 'short', new_password2: 'other' }
    expect(foundErrors(checkPasswordChange(values))).toEqual({
      password: 'required',
      new_password: 'password_weak',
      new_password2: 'passwords_differ',
    })
  })
})

describe('a new address', () => {
  it('needs the password', () => {
    expect(foundErrors(checkEmailChange({ email: 'a@example.com', password: '' }))).toEqual({
      password: 'required',
    })
  })
})
