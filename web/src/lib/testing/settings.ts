import type { components } from '../api/schema'

type SystemSettings = components['schemas']['SettingsEntry']
type FieldSpec = components['schemas']['FieldEntry']

const percent = { kind: 'percent', unit: '%', min: 0, max: 100, optional: false, wiring: false } as const
const time = { kind: 'time', optional: false, wiring: false } as const
const choice = { kind: 'choice', optional: false, wiring: false } as const
const power = { kind: 'power', unit: 'W', min: 0, max: 4_600, optional: false, wiring: false } as const
const price = {
  kind: 'price',
  unit: 'ct/kWh',
  min: 0,
  max: 500,
  decimals: 2,
  optional: false,
  wiring: false,
} as const
const wiredSwitch = { kind: 'switch', default: false, optional: false, wiring: true } as const

/** The table as the server sends it. */
const FIELDS: Record<string, FieldSpec> = {
  reserve_soc: { ...percent, default: 10 },
  charge_start: { ...time, default: '00:00' },
  charge_end: { ...time, default: '24:00' },
  discharge_start: { ...time, default: '00:00' },
  discharge_end: { ...time, default: '24:00' },
  provider: {
    ...choice,
    choices: ['none', 'tibber', 'awattar', 'energy_charts', 'entsoe', 'fixed', 'time_of_use'],
    default: 'none',
  },
  provider_token: { kind: 'token', default: null, optional: true, wiring: false },
  dynamic_tariff: { ...choice, choices: ['off', 'plan', 'price'], default: 'off' },
  charge_power: { ...power, default: 4_600 },
  charge_price: { ...price, default: 10 },
  import_price: { ...price, default: null, optional: true },
  import_adder: { ...price, default: 0 },
  vat: {
    kind: 'rate',
    unit: '%',
    min: 0,
    max: 100,
    decimals: 1,
    default: 19,
    optional: false,
    wiring: false,
  },
  feed_in_price: { ...price, default: null, optional: true },
  emergency_power: wiredSwitch,
  ups: wiredSwitch,
  plugin: wiredSwitch,
  charge_limit: { ...power, default: 4_200, wiring: true },
  discharge_limit: { ...power, max: 5_000, default: 5_000, wiring: true },
  meter_type: {
    ...choice,
    choices: ['none', 'adl400', 'adw300', 'sdm630', 'em24', 'umg604', 'dtsu666', 'shelly3em'],
    default: 'adl400',
    wiring: true,
  },
  meter_address: { kind: 'address', min: 1, max: 250, default: 1, optional: false, wiring: true },
  p_limit_tcp: wiredSwitch,
  p_control: { ...choice, choices: ['sm', 'evu'], default: 'sm', wiring: true },
  p_control_via: { ...choice, choices: ['rs485', 'tcp'], default: 'rs485', wiring: true },
}

const DEFAULTS = Object.fromEntries(Object.entries(FIELDS).map(([name, spec]) => [name, spec.default]))

type Special = Partial<Omit<SystemSettings, 'desired' | 'reported'>> & {
  desired?: Record<string, unknown>
  reported?: Record<string, unknown>
}

/** A system that works with its defaults, with what makes it special. */
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
