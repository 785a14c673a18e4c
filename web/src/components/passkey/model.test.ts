import { describe, expect, it } from 'vitest'
import { checkIdentity, checkName, deviceName } from './model'

describe('a passkey', () => {
  it('has a name of sixty characters at most', () => {
    expect(checkName({ name: ' ' })).toEqual({ name: 'required' })
    expect(checkName({ name: 'ł'.repeat(60) })).toEqual({ name: null })
    expect(checkName({ name: 'x'.repeat(61) })).toEqual({ name: 'too_long' })
  })

  it('is named after its device by default', () => {
    expect(deviceName('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)')).toBe('iPhone')
    expect(deviceName('Mozilla/5.0 (Linux; Android 16) Chrome/150')).toBe('Android')
    expect(deviceName('Mozilla/5.0 (Windows NT 10.0; Win64; x64)')).toBe('Windows')
    expect(deviceName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)')).toBe('Mac')
    expect(deviceName('Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)')).toBe('Chromebook')
    expect(deviceName('something else')).toBe('')
  })

  it('requires the password and, with two-step login, the code', () => {
    expect(checkIdentity({ password: '', totp: '' }, false)).toEqual({ password: 'required' })
    expect(checkIdentity({ password: 'x', totp: '' }, true)).toEqual({ password: null, totp: 'required' })
    expect(checkIdentity({ password: 'x', totp: '' }, false)).toEqual({ password: null })
  })
})
