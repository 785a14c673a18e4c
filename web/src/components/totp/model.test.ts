import { describe, expect, it } from 'vitest'
import { checkProof, grouped, recoveryFile } from './model'

describe('the second factor', () => {
  it('shows its secret in groups of four', () => {
    expect(grouped('GEZDGNBVGY')).toBe('GEZD GNBV GY')
    expect(grouped('')).toBe('')
  })

  it('has a file with one recovery code per line', () => {
    expect(recoveryFile('Codes', ['A-B', 'C-D'])).toBe('Codes\r\n\r\nA-B\r\nC-D\r\n')
  })

  it('requires password and code', () => {
    expect(checkProof({ password: '', totp: ' ' })).toEqual({ password: 'required', totp: 'required' })
    expect(checkProof({ password: 'x', totp: '1' })).toEqual({ password: null, totp: null })
  })
})
