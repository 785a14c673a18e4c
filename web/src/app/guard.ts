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
  '/enrol': onlyElectricians,
  '/dashboard': onlyOwners('/electrician-dashboard'),
  '/electrician-dashboard': onlyElectricians,
  '/settings': onlyOwners('/electrician-settings'),
  '/electrician-settings': onlyElectricians,
  '/calendar': onlyMembers,
  '/charts': onlyMembers,
  '/protocol': onlyMembers,
  '/alarms': onlyMembers,
  '/plan': onlyOwners('/electrician-dashboard'),
  '/update': ({ authenticated, role }) => (authenticated ? null : dashboardOf(role)),
}

/** A mailed link confirms an account whoever is logged in in this browser. */
const opensMailedLink = (path: string, fragment: string) =>
  path === '/register' && fragment.startsWith('confirm=')

/** A mailed key is for whoever has no account yet; an owner who has one enters it in the settings. */
const bringsKey = (path: string, { authenticated, role }: Visitor, fragment: string) =>
  path === '/register' && fragment.startsWith('key=') && authenticated && role === 'user'

/** A page below another one is for those who may open that: one system of the fleet is the fleet's. */
const ruleOf = (path: string): Rule | undefined =>
  path ? (RULES[path] ?? ruleOf(path.slice(0, path.lastIndexOf('/')))) : undefined

/** Where the visitor has to go instead, or null to stay. `fragment`: what stands behind the `#`. */
export function guard(path: string, visitor: Visitor, fragment = ''): Door | null {
  if (opensMailedLink(path, fragment)) return null
  if (bringsKey(path, visitor, fragment)) return '/settings'
  return ruleOf(path.replace(/(?<=.)\/+$/, ''))?.(visitor) ?? null
}
