import { PASSWORD_MIN, REGISTRATION_KEYS_MAX } from '../constants'
import type { Translate } from '../i18n/use-t'
import { isFieldCode } from './codes'

/** Numbers that the texts speak of, so that a text never disagrees with its rule. */
const VALUES = { min: PASSWORD_MIN, max: REGISTRATION_KEYS_MAX }

/** The text of a finding; anything that is not a code (a text of the server) is shown as it is. */
export function fieldText(found: string | null | undefined, t: Translate): string | undefined {
  if (!found) return undefined
  return isFieldCode(found) ? t(`field.${found}`, VALUES) : found
}
