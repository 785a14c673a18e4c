/**
 * A partner app's authorisation request (OAuth 2 code with PKCE), read strictly: incomplete requests are
 * rejected.
 */

export const SCOPES = ['systems', 'live'] as const
export type Scope = (typeof SCOPES)[number]

export type PartnerRequest = {
  client_id: string
  redirect_uri: string
  code_challenge: string
  code_challenge_method: 'S256'
  scope: string
  state: string
}

/** Schemes that would run in the page instead of leaving it. */
const UNSAFE_ADDRESS = /^(javascript|data|vbscript|blob|file|about):/i
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/

const isScope = (value: string): value is Scope => SCOPES.some((scope) => scope === value)

export const scopesOf = (scope: string): Scope[] => scope.split(' ').filter(isScope)

/** Parses the raw address: the router would turn "123" into a number and change `state`. */
export function readPartnerRequest(search: string): PartnerRequest | null {
  const params = new URLSearchParams(search)
  const names = ['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'scope', 'state'] as const
  // Repeated parameters are ambiguous.
  if ([...names, 'code_challenge_method'].some((name) => params.getAll(name).length > 1)) return null
  const { client_id, redirect_uri, response_type, code_challenge, scope, state } = Object.fromEntries(
    names.map((name) => [name, params.get(name) ?? '']),
  ) as Record<(typeof names)[number], string>
  const scopes = scope.split(' ').filter(Boolean)
  const valid =
    client_id !== '' &&
    isAddress(redirect_uri) &&
    response_type === 'code' &&
    params.get('code_challenge_method') === 'S256' &&
    CHALLENGE.test(code_challenge) &&
    scopes.length > 0 &&
    scopes.every(isScope)
  if (!valid) return null
  return {
    client_id,
    redirect_uri,
    code_challenge,
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    state,
  }
}

/** Whether it is an absolute address that leaves this page. */
export const isAddress = (address: string) =>
  /^[a-z][a-z0-9+.-]*:/i.test(address) && !UNSAFE_ADDRESS.test(address)

/** The redirect of "Deny". Use it only after the server has confirmed the address. */
export function denyAddress({ redirect_uri, state }: PartnerRequest): string {
  const answer = new URLSearchParams({ error: 'access_denied', ...(state && { state }) })
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${answer}`
}
