/** A batch: its systems, its changes and its result. */

import { THROTTLING_NOTICE_ABOVE } from '@/lib/constants'
import type { System } from '@/lib/data/systems'
import type { Locale } from '@/lib/i18n/locales'
import { readTime } from '@/lib/validation/time'
import { checkField, type Findings, readValue } from '../model/check'
import type { Draft } from '../model/draft'
import {
  commonSpec,
  commonValue,
  GROUPS,
  type Group,
  SETTING_NAMES,
  type SettingName,
  type SystemSettings,
  typedText,
  type Value,
} from '../model/fields'
import type { BatchOutcome, SystemOutcome, Template } from './data'

/** The maximum number of systems whose settings are loaded. */
export const SAMPLE_SIZE = 20
/** The maximum number of systems in the list; the search finds the others. */
export const MAX_SHOWN = 100

export const customerOf = ({ first_name, last_name }: Pick<System, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** Systems that the electrician may configure. */
export const maySet = ({ access }: Pick<System, 'access'>) => access === 'configure' || access === 'service'

/** By customer; systems without a name come last. */
export const byCustomer = (systems: readonly System[]): System[] =>
  [...systems].sort((one, other) => sortKey(one).localeCompare(sortKey(other)))

const sortKey = (system: System) => `${system.last_name || '\uffff'} ${system.first_name ?? ''} ${system.sn}`

/** Every word has to occur in the serial number, the customer or the group. */
export function foundSystems(systems: readonly System[], q: string, group: string | null): System[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  return systems.filter((system) => {
    if (group !== null && (system.group_name ?? '') !== group) return false
    const text =
      `${system.sn} ${customerOf(system)} ${system.group_name ?? ''} ${system.place ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export const groupNames = (systems: readonly System[]): string[] =>
  [...new Set(systems.flatMap(({ group_name }) => group_name ?? []))].sort((one, other) =>
    one.localeCompare(other),
  )

/** The systems of an address, as `?sn=A,B`. The router parses a serial number of digits only as a number. */
export const readSerials = (sn: unknown): string[] =>
  typeof sn === 'string' || typeof sn === 'number' ? String(sn).split(',').filter(Boolean) : []

/** Settings of the household, which electricians neither see nor change. */
const HOUSEHOLD: readonly SettingName[] = [
  'provider_token',
  'charge_price',
  'import_price',
  'feed_in_price',
  'import_adder',
  'vat',
]

export const fieldsOf = (group: Group): readonly SettingName[] =>
  (GROUPS[group] as readonly SettingName[]).filter((name) => !HOUSEHOLD.includes(name))

/** The systems for the form. If not all were loaded, their maxima are dropped. */
export function formSystems(sample: readonly SystemSettings[], all: boolean): SystemSettings[] {
  return sample.map((system) => ({
    ...system,
    // The batteries' reports are only shown for single systems.
    state: 'applied' as const,
    reported: {},
    error_texts: {},
    fields: all
      ? system.fields
      : Object.fromEntries(Object.entries(system.fields).map(([name, spec]) => [name, unlimited(spec)])),
  }))
}

const unlimited = <S extends SystemSettings['fields'][string]>(spec: S): S =>
  spec.kind === 'power' ? { ...spec, max: undefined } : spec

/** The initial value of a checked field: the common value, or the default. */
export function firstText(systems: readonly SystemSettings[], name: SettingName, locale: Locale): string {
  const spec = commonSpec(systems, name)
  if (!spec) return ''
  const value = commonValue(systems, name)
  return typedText(value === undefined ? ((spec.default ?? null) as Value) : value, spec, locale)
}

/** Errors by field. The dry run checks the limits of each system. */
export function findingsOf(draft: Draft, systems: readonly SystemSettings[]): Findings {
  const found: Findings = {}
  for (const name of SETTING_NAMES) {
    const [text, spec] = [draft[name], commonSpec(systems, name)]
    if (text === undefined || !spec) continue
    // A checked field requires a value.
    const finding = checkField(text, { ...spec, optional: false })
    if (finding) found[name] = finding
  }
  for (const window of ['charge', 'discharge'] as const) {
    const [start, end] = [draft[`${window}_start`], draft[`${window}_end`]]
    if (start !== undefined && end !== undefined && readTime(start) === readTime(end))
      found[`${window}_end`] ??= 'window_empty'
  }
  return found
}

/** The request's fields: the checked ones, as typed. */
export const sentFields = (draft: Draft): Record<string, string> =>
  Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const text = draft[name]?.trim()
      if (text === undefined) return []
      return [[name, /_(start|end)$/.test(name) ? readTime(text) : text]]
    }),
  )

/** A limit above 4.2 kW requires the notice under §14a EnWG. */
export function needsNotice(draft: Draft, systems: readonly SystemSettings[]): boolean {
  const spec = commonSpec(systems, 'charge_limit')
  const limit = draft.charge_limit !== undefined && spec ? readValue(draft.charge_limit, spec) : null
  return typeof limit === 'number' && limit > THROTTLING_NOTICE_ABOVE
}

/** Fills the form from a template. */
export const draftOf = (
  { fields }: Pick<Template, 'fields'>,
  systems: readonly SystemSettings[],
  locale: Locale,
): Draft =>
  Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const [value, spec] = [fields[name] ?? null, commonSpec(systems, name)]
      return value === null || !spec ? [] : [[name, typedText(value, spec, locale)]]
    }),
  )

export const isSettingName = (name: string): name is SettingName =>
  SETTING_NAMES.some((known) => known === name)

/** Worst first, each in the requested order. */
const ORDER = ['refused', 'changed', 'unchanged'] as const
export type Result = (typeof ORDER)[number]

export type Counts = Record<Result, number> & { offline: number }

export function countsOf({ systems }: BatchOutcome): Counts {
  const count = (result: Result) => systems.filter((system) => system.result === result).length
  return {
    changed: count('changed'),
    unchanged: count('unchanged'),
    refused: count('refused'),
    offline: systems.filter(({ result, online }) => result === 'changed' && !online).length,
  }
}

export const inOrder = ({ systems }: BatchOutcome): SystemOutcome[] =>
  ORDER.flatMap((result) => systems.filter((system) => system.result === result))

export const refusedSerials = ({ systems }: BatchOutcome): string[] =>
  systems.filter(({ result }) => result === 'refused').map(({ sn }) => sn)

export type Difference = { name: SettingName; is: Value; should: Value }

/** The fields in which a system differs from a template. */
export function differencesOf(
  { fields }: Pick<Template, 'fields'>,
  system: Pick<SystemSettings, 'desired'>,
): Difference[] {
  return SETTING_NAMES.flatMap((name) => {
    const [should, is] = [(fields[name] ?? null) as Value, system.desired[name] ?? null]
    return should === null || String(should) === String(is) ? [] : [{ name, is, should }]
  })
}
