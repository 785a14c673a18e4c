/** Validation and request bodies of the login and registration forms. */
import type { Findings } from '@/lib/form/model'
import type { Role } from '@/lib/session/tokens'
import type { Finding } from '@/lib/validation/codes'
import type { Country } from '@/lib/validation/countries'
import { checkEmail } from '@/lib/validation/email'
import { checkKeys, normaliseKey } from '@/lib/validation/key'
import { checkPassword, checkPasswordRepeat } from '@/lib/validation/password'
import { checkTerms } from '@/lib/validation/terms'

export const checkFilled = (value: string): Finding => (value.trim() === '' ? 'required' : null)

/** Existing passwords may be older than the current rules, so they are not checked. */
export const checkLogin = ({ email, password }: { email: string; password: string }) => ({
  email: checkEmail(email),
  password: password === '' ? 'required' : null,
})

export const checkNewPassword = ({ password, password2 }: { password: string; password2: string }) => ({
  password: checkPassword(password),
  password2: checkPasswordRepeat(password, password2),
})

export type Registration = {
  email: string
  password: string
  password2: string
  country: string
  phone: string
  sn1: string
  sn2: string
  sn3: string
  company: string
  terms: boolean
}

export const emptyRegistration = (country: string): Registration => ({
  email: '',
  password: '',
  password2: '',
  country,
  phone: '',
  sn1: '',
  sn2: '',
  sn3: '',
  company: '',
  terms: false,
})

type PhoneCheck = (phone: string, country: Country) => Finding

/** @param checkPhone null if its rules did not load; then only the server checks */
export function checkRegistration(
  values: Registration,
  role: Role,
  checkPhone: PhoneCheck | null,
): Findings<Registration> {
  const { email, country, phone, company, terms } = values
  const [sn1, sn2, sn3] = checkKeys([values.sn1, values.sn2, values.sn3])
  return {
    email: checkEmail(email),
    ...checkNewPassword(values),
    country: country === '' ? 'country_unknown' : null,
    // Phone rules depend on the country, which is validated first.
    phone: checkFilled(phone) ?? (country ? (checkPhone?.(phone, country as Country) ?? null) : null),
    ...(role === 'user' ? { sn1, sn2, sn3 } : { company: checkFilled(company) }),
    terms: checkTerms(terms),
  }
}

export type JoinValues = Pick<Registration, 'password' | 'password2' | 'country' | 'phone' | 'terms'> & {
  name: string
}

/** @param checkPhone null if its rules did not load; then only the server checks */
export const checkJoin = (values: JoinValues, checkPhone: PhoneCheck | null): Findings<JoinValues> => ({
  name: checkFilled(values.name),
  ...checkNewPassword(values),
  country: values.country === '' ? 'country_unknown' : null,
  phone: checkFilled(values.phone) ?? checkPhone?.(values.phone, values.country as Country) ?? null,
  terms: checkTerms(values.terms),
})

/** Leaves out the fields of the other role. */
export function registrationBody(values: Registration, role: Role) {
  const { sn1, sn2, sn3, company, ...common } = values
  const own =
    role === 'user'
      ? { sn1: normaliseKey(sn1), sn2: normaliseKey(sn2), sn3: normaliseKey(sn3) }
      : { company: company.trim() }
  return { ...common, email: common.email.trim(), phone: common.phone.trim(), role, ...own }
}
