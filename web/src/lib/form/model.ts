/** The errors of a form: a code (or the server's text) per field, and a summary of the rest. */
import { ApiError } from '../api/errors'
import { isFieldCode } from '../validation/codes'

export type Values = Record<string, string | boolean>
export type Findings<V extends Values> = { [name in keyof V]?: string | null }
export type Errors<V extends Values> = { [name in keyof V]?: string }

/**
 * Why a form was rejected: number of invalid fields, texts about fields that it does not show, or an error of
 * the whole form.
 */
export type Failure = { wrongFields: number; texts: string[]; error: unknown }

export const foundErrors = <V extends Values>(findings: Findings<V>) =>
  Object.fromEntries(Object.entries(findings).filter(([, found]) => found)) as Errors<V>

export const countErrors = (errors: object) => Object.values(errors).filter(Boolean).length

/** Assigns the server's errors to the form's fields; the others go to the summary. */
export function readRefusal<V extends Values>(error: unknown, values: V) {
  const errors: Record<string, string> = {}
  const texts: string[] = []
  for (const [field, problems] of Object.entries(error instanceof ApiError ? error.fields : {})) {
    for (const { code, text } of problems) {
      if (!Object.hasOwn(values, field)) texts.push(text)
      // A code is translated again when the language changes; a text is not.
      else errors[field] ??= isFieldCode(code) ? code : text
    }
  }
  const wrongFields = countErrors(errors)
  const failure: Failure = { wrongFields, texts, error: wrongFields + texts.length > 0 ? null : error }
  return { errors: errors as Errors<V>, failure }
}
