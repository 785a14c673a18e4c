import { describe, expect, it } from 'vitest'
import { apiError, networkError } from '../api/errors'
import { formatWait, refusalText } from './refusal-text'

const t = (id: string, values?: Record<string, unknown>) => [id, ...Object.values(values ?? {})].join(' ')
const tooMany = (seconds?: string) =>
  apiError(new Response(null, { status: 429, headers: seconds ? { 'Retry-After': seconds } : {} }), {
    detail: 'Langsam.',
    code: 'too_many_attempts',
  })

describe('too many attempts', () => {
  it('show how long to wait', () => {
    expect(refusalText(tooMany('125'), t, 'de')).toBe('form.wait 3 Minuten')
  })
  it('without a time show the server’s text', () => {
    expect(refusalText(tooMany(), t, 'de')).toBe('Langsam.')
  })
})

describe('a missing answer', () => {
  it('is named as such', () => {
    expect(refusalText(networkError(), t, 'de')).toBe('error.network')
  })
})

describe('a time to wait', () => {
  it.each([
    [1, 'de', '1 Sekunde'],
    [60, 'pl', '1 minuta'],
    [119, 'hr', '2 minute'],
    [3_601, 'en', '2 hours'],
  ] as const)('of %i s in %s is %s', (seconds, locale, text) => {
    expect(formatWait(seconds, locale)).toBe(text)
  })
})
