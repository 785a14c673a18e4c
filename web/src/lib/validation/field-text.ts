import { PASSWORD_MIN, REGISTRATION_KEYS_MAX } from '../constants'
import type { Translate } from '../i18n/use-t'
import { isFieldCode } from './codes'

/** Values for the texts, from the same constants as the rules. */
const VALUES = { min: PASSWORD_MIN, max: REGISTRATION_KEYS_MAX }

/** The text of a code; anything else (a text of the server) is shown as it is. */
export function fieldText(found: string | null | undefined, t: Translate): string | undefined {
  if (!found) return undefined
  return isFieldCode(found) ? t(`field.${found}`, VALUES) : found
}
