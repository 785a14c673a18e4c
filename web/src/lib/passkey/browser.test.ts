import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '../testing/server'
import { makePasskey, showPasskey } from './browser'

const buffer = (...bytes: number[]) => Uint8Array.from(bytes).buffer

const CREATION = {
  rp: { id: 'portal.test', name: 'Suncellar' },
  user: { id: '-_8', name: 'a', displayName: 'a' },
  challenge: 'AQID',
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [{ type: 'public-key', id: 'AA' }],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
}

const create = vi.fn()
const get = vi.fn()

beforeEach(() => {
  vi.stubGlobal('navigator', { credentials: { create, get } })
  server.use(
    http.post('*/api/auth/passkey/options/', () =>
      HttpResponse.json({
        challenge: '_-8',
        rpId: 'portal.test',
        timeout: 300_000,
        userVerification: 'required',
      }),
    ),
  )
})

afterEach(() => vi.unstubAllGlobals())

describe('a passkey', () => {
  it('is created from the server’s JSON, and serialised to JSON', async () => {
    create.mockResolvedValueOnce({
      id: '-_8',
      type: 'public-key',
      response: { clientDataJSON: buffer(1, 2), getAuthenticatorData: () => buffer(251, 255) },
    })
    const made = JSON.parse(await makePasskey(CREATION))
    expect(made).toEqual({
      id: '-_8',
      rawId: '-_8',
      type: 'public-key',
      response: { clientDataJSON: 'AQI', authenticatorData: '-_8' },
    })
    const [{ publicKey }] = create.mock.calls[0] ?? []
    expect(publicKey).toEqual({
      ...CREATION,
      challenge: Uint8Array.of(1, 2, 3),
      user: { id: Uint8Array.of(251, 255), name: 'a', displayName: 'a' },
      excludeCredentials: [{ type: 'public-key', id: Uint8Array.of(0) }],
    })
  })

  it('signs a challenge', async () => {
    get.mockResolvedValueOnce({
      id: 'AA',
      type: 'public-key',
      response: {
        clientDataJSON: buffer(1),
        authenticatorData: buffer(2),
        signature: buffer(255, 255, 255),
        userHandle: null,
      },
    })
    expect(JSON.parse(await showPasskey()).response).toEqual({
      clientDataJSON: 'AQ',
      authenticatorData: 'Ag',
      signature: '____',
      userHandle: null,
    })
    const [{ publicKey }] = get.mock.calls[0] ?? []
    expect(publicKey.challenge).toEqual(Uint8Array.of(255, 239))
  })

  it.each([
    ['NotAllowedError', 'cancelled'],
    ['AbortError', 'cancelled'],
    ['InvalidStateError', 'exists'],
    ['SecurityError', 'unavailable'],
    ['NotSupportedError', 'unavailable'],
  ])('that ends with %s is %s', async (name, failure) => {
    create.mockRejectedValueOnce(new DOMException('…', name))
    await expect(makePasskey(CREATION)).rejects.toMatchObject({ name: 'PasskeyProblem', failure })
  })
})
