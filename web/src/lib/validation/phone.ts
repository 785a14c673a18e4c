/** Validates phone numbers by the rules of our countries. Large: import it through `loadPhoneCheck`. */
import { isValidPhoneNumber, type MetadataJson } from 'libphonenumber-js/core'
import type { Finding } from './codes'
import type { Country } from './countries'
import metadata from './phone-metadata.json'

const OUR_CALLING_CODES = Object.keys(metadata.country_calling_codes)

/**
 * The rules of other countries would be larger than the page: their numbers are only checked for
 * plausibility, the server does the rest.
 */
function isPlausibleAbroad(phone: string): boolean | null {
  const digits = phone.replace(/[^\d+]/g, '')
  if (!digits.startsWith('+') || OUR_CALLING_CODES.some((code) => digits.startsWith(`+${code}`))) return null
  // No country code begins with 0, and 999 is unassigned.
  return /^\+(?!0|999)\d{7,15}$/.test(digits)
}

/** A national number is parsed in the chosen country; one with a plus in its own. */
export function checkPhone(value: string, country: Country): Finding {
  const phone = value.trim()
  if (phone === '') return 'required'
  // The library extracts numbers from any text ("call 030 …"); a field must contain only the number.
  if (!/^\+?[\d\s()/.-]+$/.test(phone)) return 'phone_invalid'
  const valid =
    isPlausibleAbroad(phone) ?? isValidPhoneNumber(phone, country, metadata as unknown as MetadataJson)
  return valid ? null : 'phone_invalid'
}
