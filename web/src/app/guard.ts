/** Who may open which page (specification 4, and 2 for the update page). What a page shows is the server's decision. */
import { dashboardOf, type settingsOf } from '@/lib/session/role-home'
import type { Role } from '@/lib/session/tokens'

export type Visitor = {
  /** An access token is stored: the specification's "access status". */
  authenticated: boolean
  role: Role
  /** Logged in without a system to show: only the key page is open. */
  limited: boolean
}

type Door = '/login' | ReturnType<typeof dashboardOf> | ReturnType<typeof settingsOf>
type Rule = (visitor: Visitor) => Door | null

const onlyGuests: Rule = ({ authenticated, role }) => (authenticated ? dashboardOf(role) : null)

/** The specification lets guests open these; they have nothing to see there, so they log in first. */
const onlyMembers: Rule = ({ authenticated }) => (authenticated ? null : '/login')

const onlyOwners =
  (elsewhere: Door): Rule =>
  (visitor) =>
    onlyMembers(visitor) ?? (visitor.role === 'electrician' ? elsewhere : null)

const onlyElectricians: Rule = (visitor) =>
  onlyMembers(visitor) ?? (visitor.role === 'electrician' ? null : '/dashboard')

const RULES: Record<string, Rule> = {
  '/': () => '/login',
  '/login': onlyGuests,
  '/register': onlyGuests,
  '/connect': (visitor) => onlyGuests(visitor) ?? (visitor.limited ? null : '/login'),
  '/dashboard': onlyOwners('/electrician-dashboard'),
  '/electrician-dashboard': onlyElectricians,
  '/settings': onlyOwners('/electrician-settings'),
  '/electrician-settings': onlyElectricians,
  '/calendar': onlyMembers,
  '/charts': onlyMembers,
  '/update': ({ authenticated, role }) => (authenticated ? null : dashboardOf(role)),
}

/** A mailed link confirms an account whoever is logged in in this browser. */
const opensMailedLink = (path: string, fragment: string) =>
  path === '/register' && fragment.startsWith('confirm=')

/** Where the visitor has to go instead, or null to stay. `fragment`: what stands behind the `#`. */
export function guard(path: string, visitor: Visitor, fragment = ''): Door | null {
  if (opensMailedLink(path, fragment)) return null
  return RULES[path.replace(/(?<=.)\/+$/, '')]?.(visitor) ?? null
}
