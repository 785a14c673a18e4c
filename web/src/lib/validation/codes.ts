/** Codes of field errors, the same in browser and server. The texts are the messages `field.<code>`. */
export const FIELD_CODES = [
  'required',
  'email_invalid',
  'email_taken',
  'password_weak',
  'password_common',
  'passwords_differ',
  'password_wrong',
  'phone_invalid',
  'country_unknown',
  'role_unknown',
  'terms_required',
  'serial_format',
  'serial_uppercase',
  'serial_used',
  'code_unknown',
  'key_required',
  'key_repeated',
  'too_many_keys',
  'language_unknown',
  'too_long',
  'price_invalid',
  'price_range',
  'group_taken',
  'number_invalid',
  'soc_range',
  'time_invalid',
  'window_empty',
  'power_range',
  'rate_range',
  'address_range',
  'token_too_short',
  'provider_required',
  'acknowledge_14a',
  'until_range',
] as const
export type FieldCode = (typeof FIELD_CODES)[number]

/** The result of a validation: a code, or null if valid. */
export type Finding = FieldCode | null

export const isFieldCode = (value: unknown): value is FieldCode => FIELD_CODES.some((code) => code === value)
