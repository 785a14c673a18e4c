/** The result of a save, by system. */
import type { components } from '@/lib/api/schema'
import { isFieldCode } from '@/lib/validation/codes'
import type { Findings } from './check'
import { SETTING_NAMES, type SettingName } from './fields'

export type SaveOutcome = components['schemas']['SaveOutcome']

export const isOutcome = (body: unknown): body is SaveOutcome =>
  typeof body === 'object' && body !== null && 'success' in body && 'failure' in body

const isSetting = (name: string): name is SettingName => SETTING_NAMES.some((known) => known === name)

export type Failure = { sn: string; texts: { name: SettingName | null; text: string }[] }

/** Failed systems with their reasons, without conflicts: see `conflictsOf`. */
export const failuresOf = ({ failure, conflicts }: SaveOutcome): Failure[] =>
  Object.entries(failure)
    .filter(([sn]) => !(sn in conflicts))
    .map(([sn, fields]) => ({
      sn,
      texts: Object.entries(fields).flatMap(([name, texts]) =>
        texts.map((text) => ({ name: isSetting(name) ? name : null, text })),
      ),
    }))

export const conflictsOf = ({ conflicts }: SaveOutcome): string[] => Object.keys(conflicts)

/** Errors for the form's fields. A code is translated again when the language changes, a text is not. */
export function fieldErrorsOf({ failure, codes, conflicts }: SaveOutcome): Findings {
  const found: Findings = {}
  for (const [sn, fields] of Object.entries(failure)) {
    if (sn in conflicts) continue
    for (const [name, texts] of Object.entries(fields)) {
      const code = codes[sn]?.[name]?.[0]
      if (isSetting(name)) found[name] ??= isFieldCode(code) ? code : (texts[0] ?? code)
    }
  }
  return found
}

/** Warnings of accepted values, without duplicates. */
export const warningsOf = ({ warnings }: SaveOutcome): string[] => [
  ...new Set(Object.values(warnings).flatMap((fields) => Object.values(fields).flat())),
]
