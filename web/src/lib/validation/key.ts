/**
 * The keys of a system: its serial number, or a registration code. Distinguished by a dash, otherwise by
 * length: people type codes with spaces or without separators.
 */
import { REGISTRATION_KEYS_MAX } from '../constants'
import type { Finding } from './codes'

const SERIAL = /^[0-9A-Z]{6,12}$/
const SERIAL_IN_ANY_CASE = /^[0-9A-Za-z]{6,12}$/
/** 20 symbols of Crockford's base 32, which has no I, L, O and U. */
const REGISTRATION_CODE = /^[0-9A-HJKMNP-TV-Z]{20}$/i
const CODE_SYMBOLS = 20
const SERIAL_MAX = 12
/** The hyphen and its replacements by word processors and mail programs. */
const DASH = /[-\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/
const SEPARATORS = /[-\s\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d]+/g

const symbolsOf = (code: string) => code.replace(SEPARATORS, '')

export function isRegistrationCode(value: string): boolean {
  const key = value.trim()
  const symbols = key.replace(/\s+/g, '')
  const inGroups = symbols !== key && symbols.length > SERIAL_MAX
  return DASH.test(key) || symbols.length === CODE_SYMBOLS || inGroups
}

/** The format for sending: trimmed; a code in capitals, in four groups with dashes. */
export function normaliseKey(value: string): string {
  const key = value.trim()
  if (!isRegistrationCode(key)) return key
  const symbols = symbolsOf(key).toUpperCase()
  return symbols.length === CODE_SYMBOLS ? symbols.replace(/.{5}(?!$)/g, '$&-') : key.toUpperCase()
}

/**
 * Splits a text into keys at lines and commas. Spaces may separate serial numbers, or the groups of one code.
 */
export function splitKeys(text: string): string[] {
  const pieces = text.split(/[,;\n]/).map((piece) => piece.trim())
  const keys = pieces.flatMap((piece) => {
    const words = piece.split(/\s+/)
    return words.every((word) => SERIAL_IN_ANY_CASE.test(word)) ? words : [piece]
  })
  return keys.filter((key) => key !== '')
}

export function checkSerial(value: string): Finding {
  const serial = value.trim()
  if (serial === '') return 'required'
  if (SERIAL.test(serial)) return null
  return SERIAL_IN_ANY_CASE.test(serial) ? 'serial_uppercase' : 'serial_format'
}

/** A malformed code gets the same answer as an unknown one. */
export function checkRegistrationCode(value: string): Finding {
  if (value.trim() === '') return 'required'
  return REGISTRATION_CODE.test(symbolsOf(value)) ? null : 'code_unknown'
}

export const checkKey = (value: string): Finding =>
  isRegistrationCode(value) ? checkRegistrationCode(value) : checkSerial(value)

/** Findings for a list of fields: at least one key, others may be empty, no duplicates. */
export function checkKeys(values: string[], most = REGISTRATION_KEYS_MAX): Finding[] {
  const keys = values.map(normaliseKey)
  const filled = keys.filter((key) => key !== '')
  if (filled.length === 0) return values.map((_, index) => (index === 0 ? 'key_required' : null))
  return keys.map((key, index) => {
    if (key === '') return null
    if (keys.indexOf(key) < index) return 'key_repeated'
    if (keys.slice(0, index).filter((earlier) => earlier !== '').length >= most) return 'too_many_keys'
    return checkKey(values[index] ?? '')
  })
}
