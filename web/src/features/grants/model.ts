/** The rules of the screens about access: who stands where, what can be done about it, what a form must hold. */
import type { Access, GivenGrant, GrantState, HeldGrant, InstallerScope, MemberScope } from '@/lib/api/grants'
import type { Findings } from '@/lib/form/model'
import { plusDays, type SiteDay } from '@/lib/site-day'
import type { Finding } from '@/lib/validation/codes'
import { checkEmail } from '@/lib/validation/email'

export const INSTALLER_SCOPES: readonly InstallerScope[] = ['monitor', 'configure', 'service']
export const MEMBER_SCOPES: readonly MemberScope[] = ['look', 'owner']

/** An electrician's access lasts so many days unless the owner says otherwise, and at most a year. */
const USUAL_DAYS = 90
const MOST_DAYS = 365
/** Whoever can still renew in peace is told in time. */
const SOON_DAYS = 14

/** Somebody waits for the owner's word, or has access that nobody has agreed to yet. */
export const needsDecision = ({ state }: { state: GrantState }) =>
  state === 'asked' || state === 'unconfirmed'

/** All that one person has, was offered or asks for. */
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
    // An invitation does not know yet who is behind the address; another grant of the same person does.
    person.company ??= company
    person.phone ??= phone
    people.set(email, person)
  }
  return [...people.values()]
}

/** What a person is called: the company, or the address before anybody stands behind it. */
export const nameOf = ({ company, email }: Pick<GivenGrant, 'company' | 'email'>) => company || email

export const customerOf = ({ first_name, last_name }: Pick<HeldGrant, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** Requests of one person with the same words, and invitations of one owner: what is answered together. */
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

/** The grants of a group speak as one: the first, with the serial numbers of all. */
export const asOne = <G extends { sn: string }>(group: readonly [G, ...G[]]): G => ({
  ...group[0],
  sn: group.map(({ sn }) => sn).join(', '),
})

/** What can be asked for again, and is not yet. */
export function renewable(held: readonly HeldGrant[], today: SiteDay): HeldGrant[] {
  const asked = new Set(held.filter(({ state }) => state === 'asked').map(({ sn }) => sn))
  return held.filter((grant) => (grant.state === 'ended' || endsSoon(grant, today)) && !asked.has(grant.sn))
}

/** What the owner can do besides ending it. */
export type OwnersDeed = 'approve' | 'confirm' | 'change' | 'renew'

export const OWNERS_DEED: Record<GrantState, OwnersDeed> = {
  asked: 'approve',
  unconfirmed: 'confirm',
  active: 'change',
  invited: 'change',
  ended: 'renew',
}

/** What it is called when a side wants no more of it. */
export type Ending = 'refuse' | 'withdraw' | 'end' | 'remove' | 'decline' | 'give_up'

export const OWNERS_ENDING: Record<GrantState, Ending> = {
  asked: 'refuse',
  invited: 'withdraw',
  active: 'end',
  unconfirmed: 'end',
  ended: 'remove',
}

export const HOLDERS_ENDING: Record<GrantState, Ending> = {
  asked: 'withdraw',
  invited: 'decline',
  active: 'give_up',
  unconfirmed: 'give_up',
  ended: 'remove',
}

/** Whether somebody gets access, more of it or for longer: then the owner types the password again. */
export function givesMore(
  grant: Pick<GivenGrant, 'state' | 'scope' | 'until_day'>,
  { scope, until }: { scope: string; until: string },
): boolean {
  const begins = grant.state === 'asked' || grant.state === 'ended'
  const scopes: readonly string[] = [...INSTALLER_SCOPES, ...MEMBER_SCOPES]
  const wider = scopes.indexOf(scope) > scopes.indexOf(grant.scope)
  return begins || wider || (grant.until_day !== null && until > grant.until_day)
}

/** The days that may be chosen as the last one, and the one that is proposed. */
export const daysToChoose = (today: SiteDay) => ({
  first: today,
  usual: plusDays(today, USUAL_DAYS),
  last: plusDays(today, MOST_DAYS),
})

/** What a form proposes: what was agreed, as long as that is not over. */
export const proposedDay = (until: SiteDay | null, today: SiteDay): SiteDay =>
  until !== null && until >= today ? until : daysToChoose(today).usual

export const endsSoon = ({ state, until_day }: Pick<GivenGrant, 'state' | 'until_day'>, today: SiteDay) =>
  (state === 'active' || state === 'unconfirmed') &&
  until_day !== null &&
  until_day <= plusDays(today, SOON_DAYS)

export type DayProblem = 'missing' | 'past' | 'too_late'

/** What is wrong with the last day, or null. */
export function checkDay(day: SiteDay, today: SiteDay): DayProblem | null {
  if (day === '') return 'missing'
  if (day < today) return 'past'
  return day > daysToChoose(today).last ? 'too_late' : null
}

type Owned = { sn: string; access: string }

/** On which systems somebody may give access: electricians also by a member of the household, the rest by the owner alone. */
export const givable = <S extends Owned>(systems: readonly S[], to: 'electrician' | 'user'): S[] =>
  systems.filter(({ access }) => access === 'owner' || (to === 'electrician' && access === 'member'))

export const isOwn = ({ access }: { access: string }) => (access as Access) === 'owner'

export type InvitationForm = {
  email: string
  scope: string
  until: string
  systems: string
  /** Whether the electrician may read the owner's phone number and address. */
  contact: boolean
  password: string
}

/** All the rules but those of the last day, whose texts stand with this form. */
export const checkInvitation = ({
  email,
  scope,
  systems,
  password,
}: InvitationForm): Findings<InvitationForm> => ({
  email: checkEmail(email),
  scope: filled(scope),
  systems: filled(systems),
  password: filled(password),
})

/** Without a day it has no end, which only the household may have. */
export const invitationBody = ({ email, scope, until, systems, contact, password }: InvitationForm) => ({
  sn: systems,
  email: email.trim(),
  scope,
  until: until || undefined,
  contact: contact || undefined,
  password,
})

const filled = (value: string): Finding => (value === '' ? 'required' : null)

/** Invitations first, then what ends soonest, what has ended last. */
export function inHoldersOrder(held: readonly HeldGrant[]): HeldGrant[] {
  const rank: Record<GrantState, number> = { invited: 0, asked: 1, unconfirmed: 2, active: 2, ended: 3 }
  return [...held].sort(
    (a, b) =>
      rank[a.state] - rank[b.state] ||
      (a.until ?? Number.POSITIVE_INFINITY) - (b.until ?? Number.POSITIVE_INFINITY) ||
      a.sn.localeCompare(b.sn),
  )
}

/** Serial numbers as people type or paste them: with spaces, commas, semicolons or lines between, each once, in capitals. */
export const serialsIn = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
]
