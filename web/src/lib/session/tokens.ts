/** Where the tokens live: local storage, shared by all tabs, with a copy in IndexedDB. */
import { STORAGE } from '../storage-keys'
import { clearTokenCopy, copyTokens } from './token-copy'

export type Role = 'user' | 'electrician'
export type Tokens = { access: string; refresh: string; role: Role }

export const isRole = (value: unknown): value is Role => value === 'user' || value === 'electrician'

export const readTokens = () => ({
  access: localStorage.getItem(STORAGE.access),
  refresh: localStorage.getItem(STORAGE.refresh),
})

/** What the browser keeps here only chooses screens; the server decides what a role may see. */
export function readRole(): Role {
  const stored = localStorage.getItem(STORAGE.role)
  return isRole(stored) ? stored : 'user'
}

export const isAuthenticated = () => readTokens().access !== null

/** Whose token it is, as it says itself; null when it says nothing. Never a proof, only a label for what is kept here. */
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
  // The refresh token goes first: whoever sees the new access token must find its partner.
  localStorage.setItem(STORAGE.refresh, tokens.refresh)
  localStorage.setItem(STORAGE.role, tokens.role)
  localStorage.setItem(STORAGE.access, tokens.access)
  await copyTokens(tokens)
}

export async function clearTokens() {
  // The refresh token goes first: other tabs react to a missing access token and must not refresh a logout away.
  localStorage.removeItem(STORAGE.refresh)
  localStorage.removeItem(STORAGE.access)
  localStorage.setItem(STORAGE.role, 'user')
  await clearTokenCopy()
}
