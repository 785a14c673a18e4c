import type { GivenGrant, HeldGrant } from '@/lib/data/grants'

const AT = Date.UTC(2026, 10, 1, 9)

const usual = {
  id: 1,
  sn: 'SC24A0001',
  state: 'active',
  scope: 'service',
  origin: 'invitation',
  created_at: AT,
  since: AT,
  until: Date.UTC(2027, 1, 13, 23),
  until_day: '2027-02-13',
} as const

/** An electrician with access, with overrides. */
export const givenGrant = (special: Partial<GivenGrant> = {}): GivenGrant => ({
  ...usual,
  email: 'electrician@example.com',
  role: 'electrician',
  company: 'Elektro Sonnenberg',
  phone: '+4930901820',
  message: null,
  shares_contact: false,
  ...special,
})

/** A customer's system with access, with overrides. */
export const heldGrant = (special: Partial<HeldGrant> = {}): HeldGrant => ({
  ...usual,
  first_name: 'Katrin',
  last_name: 'Albers',
  phone: null,
  address: null,
  household: 1,
  message: null,
  ...special,
})

/** A request of an electrician, which reveals nothing about the system. */
export const askedGrant = (special: Partial<HeldGrant> = {}): HeldGrant =>
  heldGrant({
    state: 'asked',
    origin: 'request',
    first_name: null,
    last_name: null,
    since: null,
    until: null,
    until_day: null,
    household: null,
    ...special,
  })
