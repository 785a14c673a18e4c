/** Rules of the access screens: sections, available actions and form validation. */
import type {
  Access,
  GivenGrant,
  GrantState,
  HeldGrant,
  InstallerScope,
  MemberScope,
} from '@/lib/data/grants'
import type { Findings } from '@/lib/form/model'
import { plainLetters } from '@/lib/plain-letters'
import { plusDays, type SiteDay } from '@/lib/site-day'
import type { Finding } from '@/lib/validation/codes'
import { checkEmail } from '@/lib/validation/email'

export const INSTALLER_SCOPES: readonly InstallerScope[] = ['monitor', 'configure', 'service']
export const MEMBER_SCOPES: readonly MemberScope[] = ['look', 'owner']

/** Default and maximum duration of an electrician's access, in days. */
const DEFAULT_DAYS = 90
const MAX_DAYS = 365
/** The reminder before the last day, in days. */
const REMINDER_DAYS = 14

/** Nobody answers a request for so many days: it lapses. */
const REQUEST_LIFETIME = 14 * 86_400_000

export const lapsesAt = ({ created_at }: Pick<HeldGrant, 'created_at'>) => created_at + REQUEST_LIFETIME

/** Somebody has asked for access, or the owner has not confirmed it yet. */
export const needsDecision = ({ state }: { state: GrantState }) =>
  state === 'asked' || state === 'unconfirmed'

/** All grants of one person. */
export type Person = Pick<GivenGrant, 'email' | 'role' | 'company' | 'phone'> & { grants: GivenGrant[] }

export type Sections = { waiting: GivenGrant[]; electricians: Person[]; household: Person[] }

export function sectionsOf(given: readonly GivenGrant[]): Sections {
  const settled = given.filter((grant) => !needsDecision(grant))
  return {
    waiting: given.filter(needsDecision),
    electricians: peopleOf(settled.filter(({ role }) => role === 'electrician')),
    household: peopleOf(settled.filter(({ role }) => role === 'user')),
  }
}

function peopleOf(grants: readonly GivenGrant[]): Person[] {
  const people = new Map<string, Person>()
  for (const grant of grants) {
    const { email, role, company, phone } = grant
    const person = people.get(email) ?? { email, role, company, phone, grants: [] }
    person.grants.push(grant)
    // An invitation contains only the address; other grants of the person have the rest.
    person.company ??= company
    person.phone ??= phone
    people.set(email, person)
  }
  return [...people.values()]
}

/** A person's name: the company, or the e-mail address while no account accepted the invitation. */
export const nameOf = ({ company, email }: Pick<GivenGrant, 'company' | 'email'>) => company || email

export const customerOf = ({ first_name, last_name }: Pick<HeldGrant, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** By customer or serial number, whatever letters are at hand. */
export function foundBy<G extends readonly Pick<HeldGrant, 'sn' | 'first_name' | 'last_name'>[]>(
  groups: readonly G[],
  typed: string,
): G[] {
  const words = plainLetters(typed).split(/\s+/).filter(Boolean)
  return groups.filter((group) => {
    const text = plainLetters(group.map((one) => `${customerOf(one)} ${one.sn}`).join(' '))
    return words.every((word) => text.includes(word))
  })
}

/**
 * Groups grants that are answered together: requests of one person with the same message, or invitations of
 * one owner.
 */
export function groupsOf<G>(grants: readonly G[], keyOf: (grant: G) => unknown): G[][] {
  const groups = new Map<unknown, G[]>()
  for (const grant of grants) {
    const key = keyOf(grant)
    const group = groups.get(key) ?? []
    group.push(grant)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Represents a group by its first grant, with the serial numbers of all. */
export const mergeGrants = <G extends { sn: string }>(group: readonly [G, ...G[]]): G => ({
  ...group[0],
  sn: group.map(({ sn }) => sn).join(', '),
})

/** Grants that end soon or have ended, and are not requested again yet. */
export function renewable(held: readonly HeldGrant[], today: SiteDay): HeldGrant[] {
  const asked = new Set(held.filter(({ state }) => state === 'asked').map(({ sn }) => sn))
  return held.filter((grant) => (grant.state === 'ended' || endsSoon(grant, today)) && !asked.has(grant.sn))
}

/** The owner's actions besides ending a grant. */
export type OwnersDeed = 'approve' | 'confirm' | 'change' | 'renew'

export const OWNERS_DEED: Record<GrantState, OwnersDeed> = {
  asked: 'approve',
  unconfirmed: 'confirm',
  active: 'change',
  invited: 'change',
  ended: 'renew',
}

/** How ending a grant is called, by its state and the caller's side. */
export type EndAction = 'refuse' | 'withdraw' | 'end' | 'remove' | 'decline' | 'give_up'

export const OWNER_END_ACTIONS: Record<GrantState, EndAction> = {
  asked: 'refuse',
  invited: 'withdraw',
  active: 'end',
  unconfirmed: 'end',
  ended: 'remove',
}

export const HOLDER_END_ACTIONS: Record<GrantState, EndAction> = {
  asked: 'withdraw',
  invited: 'decline',
  active: 'give_up',
  unconfirmed: 'give_up',
  ended: 'remove',
}

/** Whether a change gives access, a higher scope or more time. It then requires the password. */
export function givesMore(
  grant: Pick<GivenGrant, 'state' | 'scope' | 'until_day' | 'shares_contact'>,
  { scope, until, contact }: { scope: string; until: string; contact: boolean },
): boolean {
  const begins = grant.state === 'asked' || grant.state === 'ended'
  const scopes: readonly string[] = [...INSTALLER_SCOPES, ...MEMBER_SCOPES]
  const wider = scopes.indexOf(scope) > scopes.indexOf(grant.scope)
  const shares = contact && !grant.shares_contact
  return begins || wider || shares || (grant.until_day !== null && until > grant.until_day)
}

/** The allowed last days and the default. */
export const selectableDays = (today: SiteDay) => ({
  first: today,
  usual: plusDays(today, DEFAULT_DAYS),
  last: plusDays(today, MAX_DAYS),
})

/** The initial last day: the agreed one if it is not over yet. */
export const proposedDay = (until: SiteDay | null, today: SiteDay): SiteDay =>
  until !== null && until >= today ? until : selectableDays(today).usual

export const endsSoon = ({ state, until_day }: Pick<GivenGrant, 'state' | 'until_day'>, today: SiteDay) =>
  (state === 'active' || state === 'unconfirmed') &&
  until_day !== null &&
  until_day <= plusDays(today, REMINDER_DAYS)

export type DayProblem = 'missing' | 'past' | 'too_late'

/** The error of the last day, or null. */
export function checkDay(day: SiteDay, today: SiteDay): DayProblem | null {
  if (day === '') return 'missing'
  if (day < today) return 'past'
  return day > selectableDays(today).last ? 'too_late' : null
}

type Owned = { sn: string; access: string }

/**
 * Systems to which the person may give access: to electricians as owner or member, to members only as owner.
 */
export const grantableSystems = <S extends Owned>(systems: readonly S[], to: 'electrician' | 'user'): S[] =>
  systems.filter(({ access }) => access === 'owner' || (to === 'electrician' && access === 'member'))

export const isOwn = ({ access }: { access: string }) => (access as Access) === 'owner'

export type InvitationForm = {
  email: string
  scope: string
  until: string
  systems: string
  /** The electrician may read the owner's phone number and address. */
  contact: boolean
  password: string
}

/** Everything except the last day, which the form checks itself. */
export const checkInvitation = ({
  email,
  scope,
  systems,
  password,
}: InvitationForm): Findings<InvitationForm> => ({
  email: checkEmail(email),
  scope: checkFilled(scope),
  systems: checkFilled(systems),
  password: checkFilled(password),
})

/** Without a day the grant has no end; only allowed for household members. */
export const invitationBody = ({ email, scope, until, systems, contact, password }: InvitationForm) => ({
  sn: systems,
  email: email.trim(),
  scope,
  until: until || undefined,
  contact: contact || undefined,
  password,
})

const checkFilled = (value: string): Finding => (value === '' ? 'required' : null)

/** Invitations first, then by last day, ended ones last. */
export function sortHeldGrants(held: readonly HeldGrant[]): HeldGrant[] {
  const rank: Record<GrantState, number> = { invited: 0, asked: 1, unconfirmed: 2, active: 2, ended: 3 }
  return [...held].sort(
    (a, b) =>
      rank[a.state] - rank[b.state] ||
      (a.until ?? Number.POSITIVE_INFINITY) - (b.until ?? Number.POSITIVE_INFINITY) ||
      a.sn.localeCompare(b.sn),
  )
}

/**
 * Parses serial numbers that are separated by spaces, commas, semicolons or lines; in capitals, without
 * duplicates.
 */
export const serialsIn = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
]
