/** What somebody has typed and not sent yet, held against what was there when they began and what is there now. */
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

/** Only the fields that were touched, as they were typed. */
export type Draft = Readonly<Partial<Record<SettingName, string>>>
export type Systems = readonly SystemSettings[]

/** What the box shows; null where the systems differ and nobody has typed. */
export function shownText(draft: Draft, systems: Systems, name: SettingName, locale: Locale): string | null {
  const spec = commonSpec(systems, name)
  const value = commonValue(systems, name)
  if (draft[name] !== undefined) return draft[name]
  return spec && value !== undefined ? typedText(value, spec, locale) : null
}

export type Change = { sn: string; name: SettingName; from: Value; to: Value }

/** The fields whose value would be another one, system by system. What cannot be read yet counts as a change. */
export function changesOf(draft: Draft, systems: Systems): Change[] {
  return systems.flatMap((system) =>
    SETTING_NAMES.flatMap((name) => {
      const to = typedValue(draft, system, name)
      const from = desiredOf(system, name)
      return to === undefined || to === from ? [] : [{ sn: system.sn, name, from, to }]
    }),
  )
}

/** Undefined: left as it is. */
function typedValue(draft: Draft, system: SystemSettings, name: SettingName): Value | undefined {
  const [text, spec] = [draft[name], system.fields[name]]
  if (text === undefined || !spec) return undefined
  // What is known is not forgotten because a box was emptied.
  if (spec.optional && text.trim() === '') return undefined
  const value = readValue(text, spec)
  return value === undefined ? text : value
}

/** The names of what changes anywhere, in the order of the form. */
export const changedNames = (changes: readonly Change[]): SettingName[] =>
  SETTING_NAMES.filter((name) => changes.some((change) => change.name === name))

/** What would not be taken, by field. */
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

/** What is sent: the fields that change, as they were typed; the server reads numbers to the last digit. */
export function bodyOf(draft: Draft, changes: readonly Change[]): Record<string, string> {
  const typed = changedNames(changes).map((name) => {
    const text = (draft[name] ?? '').trim()
    return [name, /_(start|end)$/.test(name) ? readTime(text) : text]
  })
  return Object.fromEntries(typed)
}

/** Somebody who changes the wiring types the password again. */
export const touchesWiring = (changes: readonly Change[], systems: Systems) =>
  changes.some(({ sn, name }) => systems.find((system) => system.sn === sn)?.fields[name]?.wiring)

export const raisesLimit = (changes: readonly Change[], systems: Systems) =>
  changes.some(({ sn, name, to }) => {
    const system = systems.find((one) => one.sn === sn)
    return name === 'charge_limit' && system !== undefined && needsNotice(system, to)
  })

/** What somebody else has saved since the first key was pressed. */
export type Foreign = { sn: string; name: SettingName; before: Value; now: Value }

export function foreignChanges(began: Systems, systems: Systems): Foreign[] {
  return systems.flatMap((system) => {
    const before = began.find(({ sn }) => sn === system.sn)
    if (!before || before.version === system.version) return []
    return SETTING_NAMES.map((name) => ({
      sn: system.sn,
      name,
      before: desiredOf(before, name),
      now: desiredOf(system, name),
    })).filter(({ before: then, now }) => then !== now)
  })
}
