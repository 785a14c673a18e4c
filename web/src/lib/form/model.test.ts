import { describe, expect, it } from 'vitest'
import { apiError, networkError } from '../api/errors'
import { foundErrors, readRefusal } from './model'

const refusal = (body: unknown, status = 400) => apiError(new Response(null, { status }), body)
const values = { email: '', sn1: '', sn2: '' }

describe('a refusal of the server', () => {
  it('is assigned to the form’s fields by its code', () => {
    const error = refusal({
      sn2: ['Schon vergeben.'],
      email: ['Ungültig.'],
      codes: { sn2: ['serial_used'], email: ['email_invalid'] },
    })
    const { errors, failure } = readRefusal(error, values)
    expect(errors).toEqual({ sn2: 'serial_used', email: 'email_invalid' })
    expect(failure).toEqual({ wrongFields: 2, texts: [], error: null })
  })

  it('with an unknown code is shown as the server’s text', () => {
    const error = refusal({ email: ['Ganz neu.'], codes: { email: ['brand_new'] } })
    expect(readRefusal(error, values).errors).toEqual({ email: 'Ganz neu.' })
  })

  it('about a field that the form does not show goes to the summary', () => {
    const error = refusal({ role: ['Bitte wählen.'], codes: { role: ['role_unknown'] } })
    expect(readRefusal(error, values)).toEqual({
      errors: {},
      failure: { wrongFields: 0, texts: ['Bitte wählen.'], error: null },
    })
  })

  it('that names no field stays an error of the form', () => {
    const error = refusal({ detail: 'Nein.', code: 'invalid_credentials' }, 401)
    expect(readRefusal(error, values).failure).toEqual({ wrongFields: 0, texts: [], error })
    const offline = networkError()
    expect(readRefusal(offline, values).failure.error).toBe(offline)
  })
})

describe('findings', () => {
  it('without a code are ignored', () => {
    expect(foundErrors({ email: null, sn1: 'key_required' })).toEqual({ sn1: 'key_required' })
  })
})
