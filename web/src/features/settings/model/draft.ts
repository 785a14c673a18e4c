/** The unsent input, compared with the settings at the start of editing and now. */
import type { Locale } from '@/lib/i18n/locales'
import { readTime } from '@/lib/validation/time'
import { checkField, checkTogether, type Findings, needsNotice, readValue } from './check'
import {
  commonSpec,
  commonValue,
  desiredOf,
  SETTING_NAMES,
  type SettingName,
  type SystemSettings,
  typedText,
  type Value,
} from './fields'

/** Only changed fields, as typed. */
export type Draft = Readonly<Partial<Record<SettingName, string>>>
export type Systems = readonly SystemSettings[]

/** The text of a field; null if the systems differ and nothing was typed. */
export function shownText(draft: Draft, systems: Systems, name: SettingName, locale: Locale): string | null {
  const spec = commonSpec(systems, name)
  const value = commonValue(systems, name)
  if (draft[name] !== undefined) return draft[name]
  return spec && value !== undefined ? typedText(value, spec, locale) : null
}

export type Change = { sn: string; name: SettingName; from: Value; to: Value }

/** The fields with a different value, by system. Invalid text counts as a change. */
export function changesOf(draft: Draft, systems: Systems): Change[] {
  return systems.flatMap((system) =>
    SETTING_NAMES.flatMap((name) => {
      const to = typedValue(draft, system, name)
      const from = desiredOf(system, name)
      return to === undefined || to === from ? [] : [{ sn: system.sn, name, from, to }]
    }),
  )
}

/** Undefined: unchanged. */
function typedValue(draft: Draft, system: SystemSettings, name: SettingName): Value | undefined {
  const [text, spec] = [draft[name], system.fields[name]]
  if (text === undefined || !spec) return undefined
  // Emptying an optional field keeps its value.
  if (spec.optional && text.trim() === '') return undefined
  const value = readValue(text, spec)
  return value === undefined ? text : value
}

/** The changed fields, in form order. */
export const changedNames = (changes: readonly Change[]): SettingName[] =>
  SETTING_NAMES.filter((name) => changes.some((change) => change.name === name))

/** Errors by field. */
export function findingsOf(draft: Draft, systems: Systems): Findings {
  const found: Findings = {}
  for (const name of SETTING_NAMES) {
    const [text, spec] = [draft[name], commonSpec(systems, name)]
    const finding = text !== undefined && spec ? checkField(text, spec) : null
    if (finding) found[name] = finding
  }
  const givesToken = Boolean(draft.provider_token?.trim())
  for (const system of systems) {
    const after = (name: SettingName) => typedValue(draft, system, name) ?? desiredOf(system, name)
    const together = checkTogether(system, after, givesToken)
    for (const [name, finding] of Object.entries(together)) found[name as SettingName] ??= finding
  }
  return found
}

/** The request's fields as typed; the server parses all digits of numbers. */
export function bodyOf(draft: Draft, changes: readonly Change[]): Record<string, string> {
  const typed = changedNames(changes).map((name) => {
    const text = (draft[name] ?? '').trim()
    return [name, /_(start|end)$/.test(name) ? readTime(text) : text]
  })
  return Object.fromEntries(typed)
}

/** Changes of the wiring require the password. */
export const touchesWiring = (changes: readonly Change[], systems: Systems) =>
  changes.some(({ sn, name }) => systems.find((system) => system.sn === sn)?.fields[name]?.wiring)

export const raisesLimit = (changes: readonly Change[], systems: Systems) =>
  changes.some(({ sn, name, to }) => {
    const system = systems.find((one) => one.sn === sn)
    return name === 'charge_limit' && system !== undefined && needsNotice(system, to)
  })

/** A value that someone else has saved since editing began. */
export type ConflictingChange = { sn: string; name: SettingName; before: Value; now: Value }

export function conflictingChanges(base: Systems, systems: Systems): ConflictingChange[] {
  return systems.flatMap((system) => {
    const before = base.find(({ sn }) => sn === system.sn)
    if (!before || before.version === system.version) return []
    return SETTING_NAMES.map((name) => ({
      sn: system.sn,
      name,
      before: desiredOf(before, name),
      now: desiredOf(system, name),
    })).filter(({ before: then, now }) => then !== now)
  })
}
