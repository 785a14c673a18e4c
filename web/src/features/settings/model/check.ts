/** Validation of settings, by field and across fields; the same rules as on the server. */
import { METER_ADDRESS_USUAL, THROTTLING_NOTICE_ABOVE, TOKEN_MIN } from '@/lib/constants'
import { readNumber } from '@/lib/number'
import type { Finding } from '@/lib/validation/codes'
import { checkPrice } from '@/lib/validation/price'
import { readTime } from '@/lib/validation/time'
import {
  desiredOf,
  type FieldSpec,
  needsToken,
  reportedOf,
  type SettingName,
  type SystemSettings,
  type Value,
} from './fields'

const RANGE = {
  percent: 'soc_range',
  power: 'power_range',
  rate: 'rate_range',
  address: 'address_range',
} as const
type NumberKind = keyof typeof RANGE
const isNumberKind = (kind: string): kind is NumberKind => kind in RANGE

/** Parses the typed value; undefined if it is invalid. */
export function readValue(text: string, { kind, decimals }: FieldSpec): Value | undefined {
  if (kind === 'switch') return text === 'true'
  if (kind === 'choice' || kind === 'token') return text.trim()
  if (kind === 'time') return readTime(text)
  if (text.trim() === '') return null
  return readNumber(text, decimals ?? 0) ?? undefined
}

/** The error of a single field. */
export function checkField(text: string, spec: FieldSpec): Finding {
  const typed = text.trim()
  if (typed === '') return spec.optional ? null : 'required'
  const { kind, min, max } = spec
  if (kind === 'time')
    return /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/.test(readTime(typed)) ? null : 'time_invalid'
  if (kind === 'price') return checkPrice(typed)
  if (kind === 'token') return [...typed].length < TOKEN_MIN ? 'token_too_short' : null
  if (!isNumberKind(kind)) return null
  const number = readNumber(typed, spec.decimals ?? 0)
  if (number === null) return 'number_invalid'
  return number < (min ?? number) || number > (max ?? number) ? RANGE[kind] : null
}

export type Findings = Partial<Record<SettingName, string>>

/**
 * Errors across fields, for a system with the draft applied. A stored token does not count if the provider
 * changes.
 */
export function checkTogether(
  system: SystemSettings,
  after: (name: SettingName) => Value,
  givesToken: boolean,
): Findings {
  const found: Findings = {}
  for (const window of ['charge', 'discharge'] as const)
    if (after(`${window}_start`) === after(`${window}_end`)) found[`${window}_end`] = 'window_empty'
  const provider = after('provider')
  if (provider === 'none' && after('dynamic_tariff') !== 'off') found.provider = 'provider_required'
  // Fields that the reader may not see are not required.
  if (provider === 'fixed' && 'import_price' in system.fields && after('import_price') === null)
    found.import_price = 'required'
  const keepsToken =
    desiredOf(system, 'provider') === provider && desiredOf(system, 'provider_token') !== null
  if (needsToken(provider) && 'provider_token' in system.fields && !keepsToken && !givesToken)
    found.provider_token = 'required'
  return found
}

/** A limit above 4.2 kW requires the notice under §14a EnWG, once. */
export function needsNotice(system: SystemSettings, chargeLimit: Value): boolean {
  const above = typeof chargeLimit === 'number' && chargeLimit > THROTTLING_NOTICE_ABOVE
  return above && !system.acknowledged_at && desiredOf(system, 'charge_limit') !== chargeLimit
}

/** Above the unit's maximum. */
export const exceedsMaximum = (value: Value | undefined, { kind, max }: FieldSpec) =>
  kind === 'power' && typeof value === 'number' && max != null && value > max

/** The limit is above 4.2 kW already, such as from the factory, and the notice was not acknowledged yet. */
export function needsAcknowledgement(system: SystemSettings): boolean {
  const limit = reportedOf(system, 'charge_limit') ?? desiredOf(system, 'charge_limit')
  return typeof limit === 'number' && limit > THROTTLING_NOTICE_ABOVE && !system.acknowledged_at
}

export const isReservedAddress = (address: Value | undefined) =>
  typeof address === 'number' && address > METER_ADDRESS_USUAL
