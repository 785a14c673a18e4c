import cases from '../../../../cases/settings.json'
import type { components } from '../api/schema'

type SystemSettings = components['schemas']['SettingsEntry']
type FieldSpec = components['schemas']['FieldEntry']

/** The specifications as the server sends them; a test of the server uses the same file. */
const FIELDS: Record<string, FieldSpec> = cases.fields

const DEFAULTS = Object.fromEntries(Object.entries(FIELDS).map(([name, spec]) => [name, spec.default]))

type Special = Partial<Omit<SystemSettings, 'desired' | 'reported'>> & {
  desired?: Record<string, unknown>
  reported?: Record<string, unknown>
}

/** A system with default settings and overrides. */
export const settingsEntry = (
  sn: string,
  { desired, reported, ...special }: Special = {},
): SystemSettings => ({
  sn,
  version: 3,
  state: 'applied',
  reported_version: 3,
  reported_at: Date.UTC(2026, 10, 15, 11),
  errors: {},
  error_texts: {},
  changed_at: Date.UTC(2026, 10, 15, 10),
  changed_by: 'you',
  acknowledged_at: null,
  grid_limit: null,
  fields: FIELDS,
  ...special,
  desired: { ...DEFAULTS, ...desired } as SystemSettings['desired'],
  reported: { ...DEFAULTS, ...desired, ...reported } as SystemSettings['reported'],
})
