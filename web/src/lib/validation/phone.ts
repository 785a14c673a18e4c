/** Phone numbers, by the rules of our countries only. Heavy: import it through `loadPhoneCheck`. */
import { isValidPhoneNumber, type MetadataJson } from 'libphonenumber-js/core'
import type { Finding } from './codes'
import type { Country } from './countries'
import metadata from './phone-metadata.json'

/** Written nationally it is read in the chosen country; with a plus, in any country that we serve. */
export function checkPhone(value: string, country: Country): Finding {
  const phone = value.trim()
  if (phone === '') return 'required'
  // The library reads a number out of any text ("call 030 …"); a field must hold the number and nothing else.
  if (!/^\+?[\d\s()/.-]+$/.test(phone)) return 'phone_invalid'
  return isValidPhoneNumber(phone, country, metadata as unknown as MetadataJson) ? null : 'phone_invalid'
}
