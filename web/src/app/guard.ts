/**
 * Who may open which page (specification 4, and 2 for the update page). The server decides about the data.
 */
import { dashboardOf, type settingsOf } from '@/lib/session/role-home'
import type { Role } from '@/lib/session/tokens'

export type SessionInfo = {
  /** An access token is stored: the specification's "access status". */
  authenticated: boolean
  role: Role
  /** A limited session: only the key page is open. */
  limited: boolean
}

type RedirectTarget = '/login' | ReturnType<typeof dashboardOf> | ReturnType<typeof settingsOf>
type Rule = (session: SessionInfo) => RedirectTarget | null

const onlyGuests: Rule = ({ authenticated, role }) => (authenticated ? dashboardOf(role) : null)

/**
 * The specification allows guests on these pages, but they have nothing to see there, so they log in first.
 */
const onlyLoggedIn: Rule = ({ authenticated }) => (authenticated ? null : '/login')

const onlyOwners =
  (elsewhere: RedirectTarget): Rule =>
  (session) =>
    onlyLoggedIn(session) ?? (session.role === 'electrician' ? elsewhere : null)

const onlyElectricians: Rule = (session) =>
  onlyLoggedIn(session) ?? (session.role === 'electrician' ? null : '/dashboard')

const RULES: Record<string, Rule> = {
  '/': () => '/login',
  '/login': onlyGuests,
  '/register': onlyGuests,
  '/connect': (session) => onlyGuests(session) ?? (session.limited ? null : '/login'),
  '/enrol': onlyElectricians,
  '/dashboard': onlyOwners('/electrician-dashboard'),
  '/electrician-dashboard': onlyElectricians,
  '/settings': onlyOwners('/electrician-settings'),
  '/electrician-settings': onlyElectricians,
  '/calendar': onlyLoggedIn,
  '/charts': onlyLoggedIn,
  '/protocol': onlyLoggedIn,
  '/alarms': onlyLoggedIn,
  '/plan': onlyOwners('/electrician-dashboard'),
  '/update': ({ authenticated, role }) => (authenticated ? null : dashboardOf(role)),
}

/** A mailed link confirms its account even if somebody is logged in. */
const isConfirmationLink = (path: string, fragment: string) =>
  path === '/register' && fragment.startsWith('confirm=')

/** A mailed key is for people without an account; a logged-in owner adds it in the settings. */
const isMailedKey = (path: string, { authenticated, role }: SessionInfo, fragment: string) =>
  path === '/register' && fragment.startsWith('key=') && authenticated && role === 'user'

/** A subpage has the rule of its parent, such as a system of the fleet. */
const ruleOf = (path: string): Rule | undefined =>
  path ? (RULES[path] ?? ruleOf(path.slice(0, path.lastIndexOf('/')))) : undefined

/** Returns a redirect target, or null to stay. `fragment` is the address's part after `#`. */
export function guard(path: string, session: SessionInfo, fragment = ''): RedirectTarget | null {
  if (isConfirmationLink(path, fragment)) return null
  if (isMailedKey(path, session, fragment)) return '/settings'
  return ruleOf(path.replace(/(?<=.)\/+$/, ''))?.(session) ?? null
}
