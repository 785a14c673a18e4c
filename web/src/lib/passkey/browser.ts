/**
 * The browser's side of WebAuthn, with the server's JSON. Browsers of 2025 can convert it themselves; these
 * lines work in all.
 */
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { type PasskeyFailure, PasskeyProblem } from './problem'

type Creation = components['schemas']['PasskeyCreation']

/** Creates a passkey; returns the credential for the server. */
export async function makePasskey(options: Creation): Promise<string> {
  const { challenge, user, pubKeyCredParams, excludeCredentials, ...rest } = options
  const publicKey = {
    ...rest,
    challenge: bytes(challenge),
    user: { ...user, id: bytes(user.id) },
    pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg }) as const),
    excludeCredentials: excludeCredentials.map(({ id }) => ({ type: 'public-key', id: bytes(id) }) as const),
  } as PublicKeyCredentialCreationOptions
  const credential = await ask(() => navigator.credentials.create({ publicKey }))
  const response = credential.response as AuthenticatorAttestationResponse
  return json(credential, {
    clientDataJSON: text(response.clientDataJSON),
    authenticatorData: text(response.getAuthenticatorData()),
  })
}

/** Lets the person choose a passkey and verify themselves; returns the assertion for the server. */
export async function showPasskey(): Promise<string> {
  const { challenge, ...rest } = await unwrap(api.POST('/api/auth/passkey/options/'))
  const publicKey = { ...rest, challenge: bytes(challenge) } as PublicKeyCredentialRequestOptions
  const credential = await ask(() => navigator.credentials.get({ publicKey }))
  const response = credential.response as AuthenticatorAssertionResponse
  return json(credential, {
    clientDataJSON: text(response.clientDataJSON),
    authenticatorData: text(response.authenticatorData),
    signature: text(response.signature),
    userHandle: response.userHandle && text(response.userHandle),
  })
}

const json = ({ id, type }: PublicKeyCredential, response: object) =>
  JSON.stringify({ id, rawId: id, type, response })

async function ask(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await question().catch((cause: unknown) => {
    throw new PasskeyProblem(failureOf(cause), { cause })
  })
  if (!credential) throw new PasskeyProblem('cancelled')
  return credential as PublicKeyCredential
}

/** Browsers report refusal and timeout alike, so that pages cannot find out which passkeys exist. */
function failureOf(cause: unknown): PasskeyFailure {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'InvalidStateError') return 'exists'
  return name === 'NotAllowedError' || name === 'AbortError' ? 'cancelled' : 'unavailable'
}

function bytes(base64url: string) {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
}

function text(buffer: ArrayBuffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
