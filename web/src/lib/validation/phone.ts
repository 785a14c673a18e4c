/** Phone numbers, by the rules of our countries. Heavy: import it through `loadPhoneCheck`. */
import { isValidPhoneNumber, type MetadataJson } from 'libphonenumber-js/core'
import type { Finding } from './codes'
import type { Country } from './countries'
import metadata from './phone-metadata.json'

const OUR_CALLING_CODES = Object.keys(metadata.country_calling_codes)

/** The rules of all other countries would weigh more than the page: there only the form is checked, the server knows the rest. */
function isPlausibleAbroad(phone: string): boolean | null {
  const digits = phone.replace(/[^\d+]/g, '')
  if (!digits.startsWith('+') || OUR_CALLING_CODES.some((code) => digits.startsWith(`+${code}`))) return null
  // No country's code begins with 0, and 999 is nobody's.
  return /^\+(?!0|999)\d{7,15}$/.test(digits)
}

/** Written nationally it is read in the chosen country; with a plus, in the country that it names. */
export function checkPhone(value: string, country: Country): Finding {
  const phone = value.trim()
  if (phone === '') return 'required'
  // The library reads a number out of any text ("call 030 …"); a field must hold the number and nothing else.
  if (!/^\+?[\d\s()/.-]+$/.test(phone)) return 'phone_invalid'
  const valid =
    isPlausibleAbroad(phone) ?? isValidPhoneNumber(phone, country, metadata as unknown as MetadataJson)
  return valid ? null : 'phone_invalid'
}
