import { describe, expect, it } from 'vitest'
import { denyAddress, isAddress, readPartnerRequest, scopesOf } from './partner-model'

const query = {
  client_id: 'demo-app',
  redirect_uri: 'https://app.example/back',
  response_type: 'code',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'systems live',
  state: '12345678901234567890',
}
const search = (changes: Partial<typeof query> = {}) => `?${new URLSearchParams({ ...query, ...changes })}`

describe('the request of a partner app', () => {
  it('is read exactly', () => {
    expect(readPartnerRequest(search())).toEqual({
      client_id: 'demo-app',
      redirect_uri: 'https://app.example/back',
      code_challenge: query.code_challenge,
      code_challenge_method: 'S256',
      scope: 'systems live',
      state: '12345678901234567890',
    })
  })

  it.each([
    ['no app', { client_id: '' }],
    ['a token instead of a code', { response_type: 'token' }],
    ['a challenge in clear', { code_challenge_method: 'plain' }],
    ['a challenge that is too short', { code_challenge: 'short' }],
    ['nothing to see', { scope: '' }],
    ['more than there is', { scope: 'systems settings' }],
    ['an address that is a script', { redirect_uri: 'javascript:alert(1)' }],
    ['an address of our own', { redirect_uri: '/dashboard' }],
  ])('with %s is refused', (_, changes) => {
    expect(readPartnerRequest(search(changes))).toBeNull()
  })

  it('with a repeated parameter is refused', () => {
    expect(readPartnerRequest(`${search()}&redirect_uri=https://evil.example`)).toBeNull()
  })
})

describe('a denial', () => {
  const request = readPartnerRequest(search())
  it('redirects to the app with its state', () => {
    expect(request && denyAddress(request)).toBe(
      'https://app.example/back?error=access_denied&state=12345678901234567890',
    )
  })
  it('keeps the address’s own parameters, and omits an empty state', () => {
    const other = readPartnerRequest(search({ redirect_uri: 'https://app.example/?a=1', state: '' }))
    expect(other && denyAddress(other)).toBe('https://app.example/?a=1&error=access_denied')
  })
})

describe('a redirect address', () => {
  it('may open an app on the phone, but must not run in the page', () => {
    expect(isAddress('cleverpv://back')).toBe(true)
    expect(isAddress('JavaScript:alert(1)')).toBe(false)
    expect(isAddress('//evil.example')).toBe(false)
  })
})

describe('scopes', () => {
  it('are the known ones', () => {
    expect(scopesOf('live systems other')).toEqual(['live', 'systems'])
  })
})
