import { describe, expect, it } from 'vitest'
import { askedGrant, givenGrant, heldGrant } from '@/lib/testing/grants'
import {
  checkDay,
  checkInvitation,
  endsSoon,
  givesMore,
  grantableSystems,
  invitationBody,
  proposedDay,
  renewable,
  sectionsOf,
  selectableDays,
  serialsIn,
  sortHeldGrants,
} from './model'

const today = '2026-11-15'

describe('given grants', () => {
  it('are listed apart when they need a decision', () => {
    const given = [
      givenGrant({ id: 1, state: 'asked' }),
      givenGrant({ id: 2, state: 'unconfirmed' }),
      givenGrant({ id: 3 }),
      givenGrant({ id: 4, role: 'user', scope: 'look', email: 'partner@example.com' }),
    ]
    const { waiting, electricians, household } = sectionsOf(given)
    expect(waiting.map(({ id }) => id)).toEqual([1, 2])
    expect(electricians.map(({ grants }) => grants.map(({ id }) => id))).toEqual([[3]])
    expect(household.map(({ email }) => email)).toEqual(['partner@example.com'])
  })

  it('of one person are grouped under any known name', () => {
    const given = [
      givenGrant({ id: 1, state: 'invited', company: null, phone: null }),
      givenGrant({ id: 2, sn: 'SC24A0002' }),
      givenGrant({ id: 3, email: 'other@example.com', company: null }),
    ]
    const [first, second] = sectionsOf(given).electricians
    expect(first).toMatchObject({ company: 'Elektro Sonnenberg', phone: '+4930901820' })
    expect(first?.grants.map(({ id }) => id)).toEqual([1, 2])
    expect(second?.company).toBeNull()
  })
})

describe('the last day', () => {
  it('is 90 days ahead by default, and at most a year', () => {
    expect(selectableDays(today)).toEqual({ first: today, usual: '2027-02-13', last: '2027-11-15' })
  })

  it.each([
    ['', 'missing'],
    ['2026-11-14', 'past'],
    ['2026-11-15', null],
    ['2027-11-15', null],
    ['2027-11-16', 'too_late'],
  ])('"%s" is %s', (day, found) => {
    expect(checkDay(day, today)).toBe(found)
  })

  it('defaults to the agreed one, unless that is over or missing', () => {
    expect(proposedDay('2026-12-24', today)).toBe('2026-12-24')
    expect(proposedDay('2026-11-01', today)).toBe('2027-02-13')
    expect(proposedDay(null, today)).toBe('2027-02-13')
  })

  it.each([
    ['active', '2026-11-29', true],
    ['unconfirmed', '2026-11-16', true],
    ['active', '2026-11-30', false],
    ['active', null, false],
    ['invited', '2026-11-20', false],
    ['ended', '2026-11-10', false],
  ] as const)('of a grant that is %s until %s is near: %s', (state, until_day, near) => {
    expect(endsSoon({ state, until_day }, today)).toBe(near)
  })
})

describe('a change that extends access', () => {
  const until = '2027-02-13'
  it.each([
    ['asked', 'service', null, { scope: 'monitor', until }, true],
    ['ended', 'service', until, { scope: 'service', until }, true],
    ['active', 'configure', until, { scope: 'service', until }, true],
    ['active', 'configure', until, { scope: 'configure', until: '2027-02-14' }, true],
    ['active', 'configure', until, { scope: 'configure', until }, false],
    ['active', 'configure', until, { scope: 'monitor', until: '2026-12-01' }, false],
    ['invited', 'monitor', until, { scope: 'service', until }, true],
    ['active', 'owner', null, { scope: 'look', until: '' }, false],
    ['active', 'look', null, { scope: 'owner', until: '' }, true],
  ] as const)('of a grant that is %s with %s until %s by %o: %s', (state, scope, until_day, form, more) => {
    const grant = { state, scope, until_day, shares_contact: true }
    expect(givesMore(grant, { ...form, contact: true })).toBe(more)
  })
})

it('phone number and address are more', () => {
  const grant = { state: 'active', scope: 'service', until_day: null, shares_contact: false } as const
  expect(givesMore(grant, { scope: 'service', until: '', contact: true })).toBe(true)
  expect(givesMore(grant, { scope: 'service', until: '', contact: false })).toBe(false)
})

describe('an invitation', () => {
  const filled = {
    email: ' a@example.com ',
    scope: 'service',
    until: '2027-02-13',
    systems: 'A,B',
    contact: false,
    password: 'p',
  }

  it('is sent with a trimmed address, and without a day if there is none', () => {
    expect(invitationBody(filled)).toEqual({
      sn: 'A,B',
      email: 'a@example.com',
      scope: 'service',
      until: '2027-02-13',
      password: 'p',
    })
    expect(invitationBody({ ...filled, until: '' }).until).toBeUndefined()
  })

  it('requires an address, a system and the password', () => {
    expect(checkInvitation(filled)).toEqual({ email: null, scope: null, systems: null, password: null })
    expect(checkInvitation({ ...filled, email: 'a', systems: '', password: '' })).toEqual({
      email: 'email_invalid',
      scope: null,
      systems: 'required',
      password: 'required',
    })
  })

  it('to an electrician may come from a household member; to a member only from the owner', () => {
    const systems = ['owner', 'member', 'look', 'service'].map((access) => ({ sn: access, access }))
    expect(grantableSystems(systems, 'electrician').map(({ sn }) => sn)).toEqual(['owner', 'member'])
    expect(grantableSystems(systems, 'user').map(({ sn }) => sn)).toEqual(['owner'])
  })
})

it('held grants: invitations first, then requests, then by last day, ended ones last', () => {
  const held = [
    heldGrant({ id: 1, state: 'ended', until: 1 }),
    heldGrant({ id: 2, until: 900 }),
    heldGrant({ id: 3, until: null, until_day: null }),
    askedGrant({ id: 4 }),
    heldGrant({ id: 5, until: 500, state: 'unconfirmed' }),
    heldGrant({ id: 6, state: 'invited' }),
  ]
  expect(sortHeldGrants(held).map(({ id }) => id)).toEqual([6, 4, 5, 2, 3, 1])
})

it('reads pasted serial numbers, without duplicates', () => {
  expect(serialsIn(' sc24a0001, SC24A0002;SC24A0003\nSC24A0001\t')).toEqual([
    'SC24A0001',
    'SC24A0002',
    'SC24A0003',
  ])
  expect(serialsIn(' , ')).toEqual([])
})

it('renews what ends soon or has ended, unless it was already requested', () => {
  const held = [
    heldGrant({ sn: 'LATER', until_day: '2027-02-13' }),
    heldGrant({ sn: 'SOON', until_day: '2026-11-20' }),
    heldGrant({ sn: 'OVER', state: 'ended', until_day: '2026-11-01' }),
    heldGrant({ sn: 'ASKED', until_day: '2026-11-20' }),
    askedGrant({ sn: 'ASKED' }),
    heldGrant({ sn: 'NEW', state: 'invited' }),
  ]
  expect(renewable(held, today).map(({ sn }) => sn)).toEqual(['SOON', 'OVER'])
})
