import { describe, expect, it } from 'vitest'
import { ApiError, apiError, errorText, networkError } from './errors'

const response = (status: number, headers = {}) => new Response(null, { status, headers })
const t = (id: string) => `text of ${id}`

describe('an API error', () => {
  it('has the server’s code and sentence', () => {
    const error = apiError(response(429, { 'Retry-After': '30' }), {
      detail: 'Langsam.',
      code: 'too_many_attempts',
    })
    expect(error).toMatchObject({ status: 429, code: 'too_many_attempts', retryAfterSeconds: 30 })
    expect(errorText(error, t)).toBe('Langsam.')
  })

  it('keeps text and code of each field together', () => {
    const error = apiError(response(400), {
      sn1: ['Schon vergeben.'],
      email: ['Ungültig.', 'Zu lang.'],
      codes: { sn1: ['serial_used'], email: ['email_invalid', 'too_long'] },
    })
    expect(error.fields).toEqual({
      sn1: [{ code: 'serial_used', text: 'Schon vergeben.' }],
      email: [
        { code: 'email_invalid', text: 'Ungültig.' },
        { code: 'too_long', text: 'Zu lang.' },
      ],
    })
  })

  it('shows the texts of fields that have no input', () => {
    const error = apiError(response(400), {
      provider: ['Bitte wählen Sie einen Stromanbieter.'],
      charge_price: ['Bitte ausfüllen.'],
      codes: { provider: ['provider_required'], charge_price: ['required'] },
    })
    expect(errorText(error, t)).toBe('Bitte wählen Sie einen Stromanbieter. Bitte ausfüllen.')
  })

  it.each([
    [502, 'unavailable'],
    [500, 'internal'],
    [413, 'too_large'],
  ] as const)('has a text for a bare %i', (status, code) => {
    const error = apiError(response(status), '<html>proxy</html>')
    expect(error.code).toBe(code)
    expect(errorText(error, t)).toBe(`text of error.${code}`)
  })

  it('names the request if the fault is ours, and only then', () => {
    const named = (id: string, values?: Record<string, unknown>) => `${id} ${JSON.stringify(values ?? {})}`
    const headers = { 'X-Request-Id': '3f2a9c1e5b8d2064' }
    const ours = apiError(response(500, headers), { detail: 'Bei uns.', code: 'internal' })
    expect(errorText(ours, named)).toBe('Bei uns. error.reference {"id":"3f2a9c1e5b8d2064"}')
    const theirs = apiError(response(429, headers), { detail: 'Langsam.', code: 'too_many_attempts' })
    expect(errorText(theirs, named)).toBe('Langsam.')
  })

  it('says that there was no answer', () => {
    expect(errorText(networkError(), t)).toBe('text of error.network')
    expect(networkError()).toBeInstanceOf(ApiError)
  })

  it('hides technical details', () => {
    expect(errorText(new TypeError('x is not a function'), t)).toBe('text of error.internal')
  })
})
