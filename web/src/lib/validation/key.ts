/** The keys of a system: its serial number, or a registration code. A dash tells them apart. */
import { REGISTRATION_KEYS_MAX } from '../constants'
import type { Finding } from './codes'

const SERIAL = /^[0-9A-Z]{6,12}$/
const SERIAL_IN_ANY_CASE = /^[0-9A-Za-z]{6,12}$/
/** Four groups of five of Crockford's base 32, which has no I, L, O and U. */
const REGISTRATION_CODE = /^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/

export const isRegistrationCode = (key: string) => key.includes('-')

/** As it is sent: without space around it; the case of a registration code does not matter. */
export function normaliseKey(value: string): string {
  const key = value.trim()
  return isRegistrationCode(key) ? key.toUpperCase() : key
}

export function checkSerial(value: string): Finding {
  const serial = value.trim()
  if (serial === '') return 'required'
  if (SERIAL.test(serial)) return null
  return SERIAL_IN_ANY_CASE.test(serial) ? 'serial_uppercase' : 'serial_format'
}

/** A code of the wrong shape is answered like one that nobody has issued. */
export function checkRegistrationCode(value: string): Finding {
  const code = normaliseKey(value)
  if (code === '') return 'required'
  return REGISTRATION_CODE.test(code) ? null : 'code_unknown'
}

export function checkKey(value: string): Finding {
  const key = normaliseKey(value)
  return isRegistrationCode(key) ? checkRegistrationCode(key) : checkSerial(key)
}

/** Findings for a list of entry fields: one key at least, the others may stay empty, none may come twice. */
export function checkKeys(values: string[], most = REGISTRATION_KEYS_MAX): Finding[] {
  const keys = values.map(normaliseKey)
  const filled = keys.filter((key) => key !== '')
  if (filled.length === 0) return values.map((_, index) => (index === 0 ? 'key_required' : null))
  return keys.map((key, index) => {
    if (key === '') return null
    if (keys.indexOf(key) < index) return 'key_repeated'
    if (keys.slice(0, index).filter((earlier) => earlier !== '').length >= most) return 'too_many_keys'
    return checkKey(key)
  })
}
