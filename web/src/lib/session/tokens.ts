/** The tokens in local storage, shared by all tabs, with a copy in IndexedDB. */
import { STORAGE } from '../storage-keys'
import { clearTokenCopy, copyTokens } from './token-copy'

export type Role = 'user' | 'electrician'
export type Tokens = { access: string; refresh: string; role: Role }

export const isRole = (value: unknown): value is Role => value === 'user' || value === 'electrician'

export const readTokens = () => ({
  access: localStorage.getItem(STORAGE.access),
  refresh: localStorage.getItem(STORAGE.refresh),
})

/** The stored role only selects screens; the server authorises. */
export function readRole(): Role {
  const stored = localStorage.getItem(STORAGE.role)
  return isRole(stored) ? stored : 'user'
}

export const isAuthenticated = () => readTokens().access !== null

/** The account in a token's claims, null if it has none. Not verified: it only labels stored data. */
export function accountOf(access: string | null): string | null {
  try {
    const payload = access?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''
    const { sub } = JSON.parse(atob(payload)) as { sub?: unknown }
    return typeof sub === 'string' ? sub : null
  } catch {
    return null
  }
}

export async function storeTokens(tokens: Tokens) {
  // The refresh token is written first: whoever reads the new access token must find it.
  localStorage.setItem(STORAGE.refresh, tokens.refresh)
  localStorage.setItem(STORAGE.role, tokens.role)
  localStorage.setItem(STORAGE.access, tokens.access)
  await copyTokens(tokens)
}

export async function clearTokens() {
  // The refresh token is removed first: other tabs react to a missing access token and must not refresh after
  // a logout.
  localStorage.removeItem(STORAGE.refresh)
  localStorage.removeItem(STORAGE.access)
  localStorage.setItem(STORAGE.role, 'user')
  await clearTokenCopy()
}
