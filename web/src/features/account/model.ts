/** Validation and request bodies of the account's forms. */
import type { Findings } from '@/lib/form/model'
import type { Finding } from '@/lib/validation/codes'
import type { Country } from '@/lib/validation/countries'
import { checkEmail } from '@/lib/validation/email'
import { checkPassword, checkPasswordRepeat } from '@/lib/validation/password'

const checkFilled = (value: string): Finding => (value.trim() === '' ? 'required' : null)

export type Profile = {
  phone: string
  address: string
  country: string
  name: string
  company: string
  language: string
}

export function checkProfile(
  { phone, country, name, company }: Profile,
  {
    leads,
    named,
  }: { leads: boolean /** Has a name already, which can be changed and not taken away. */; named: boolean },
  checkPhone: ((phone: string, country: Country) => Finding) | null,
): Findings<Profile> {
  return {
    country: country === '' ? 'country_unknown' : null,
    phone: checkFilled(phone) ?? checkPhone?.(phone, country as Country) ?? null,
    name: named ? checkFilled(name) : null,
    company: leads ? checkFilled(company) : null,
  }
}

type Role = {
  isElectrician: boolean
  /** Is an owner of the company. */
  leads: boolean
}

/**
 * Sends only the caller's own fields: owners have no company, electricians no address, and only the company's
 * owners may rename it.
 */
export const profileBody = (
  { name, company, address, ...profile }: Profile,
  { isElectrician, leads }: Role,
) => ({
  ...profile,
  ...(isElectrician ? name.trim() && { name: name.trim() } : { address: address.trim() }),
  ...(leads && { company: company.trim() }),
})

export type PasswordChange = { password: string; new_password: string; new_password2: string }

export const checkPasswordChange = (values: PasswordChange): Findings<PasswordChange> => ({
  password: values.password === '' ? 'required' : null,
  new_password: checkPassword(values.new_password),
  new_password2: checkPasswordRepeat(values.new_password, values.new_password2),
})

export type EmailChange = { email: string; password: string }

export const checkEmailChange = ({ email, password }: EmailChange): Findings<EmailChange> => ({
  email: checkEmail(email),
  password: password === '' ? 'required' : null,
})
