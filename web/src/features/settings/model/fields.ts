/** The settings in their groups, and how values are formatted. */
import type { components } from '@/lib/api/schema'
import { formatNumber, joinQuantity } from '@/lib/format'
import type { Locale } from '@/lib/i18n/locales'
import type { Translate } from '@/lib/i18n/use-t'

export type SystemSettings = components['schemas']['SettingsEntry']
export type FieldSpec = components['schemas']['FieldEntry']
export type Value = number | string | boolean | null

export const GROUPS = {
  charging: ['reserve_soc', 'charge_start', 'charge_end', 'discharge_start', 'discharge_end'],
  tariff: [
    'provider',
    'provider_token',
    'dynamic_tariff',
    'charge_power',
    'charge_price',
    'import_price',
    'feed_in_price',
    'import_adder',
    'vat',
  ],
  device: [
    'charge_limit',
    'discharge_limit',
    'emergency_power',
    'ups',
    'plugin',
    'p_limit_tcp',
    'p_control',
    'p_control_via',
  ],
  meter: ['meter_type', 'meter_address'],
} as const
/** Prices have start dates, so they have a form of their own. */
export const PRICES: readonly SettingName[] = ['import_price', 'feed_in_price']

export type Group = keyof typeof GROUPS
export const GROUP_NAMES = Object.keys(GROUPS) as Group[]

export type SettingName = (typeof GROUPS)[Group][number]
export const SETTING_NAMES: readonly SettingName[] = GROUP_NAMES.flatMap((group) => [...GROUPS[group]])

export const groupOf = (name: SettingName): Group =>
  GROUP_NAMES.find((group) => (GROUPS[group] as readonly string[]).includes(name)) ?? 'charging'

/** Providers that require a token. */
export const needsToken = (provider: Value | undefined) => provider === 'tibber' || provider === 'entsoe'

export const desiredOf = ({ desired }: SystemSettings, name: SettingName): Value =>
  (desired as Partial<Record<SettingName, Value>>)[name] ?? null

export const reportedOf = ({ reported }: SystemSettings, name: SettingName): Value | undefined =>
  (reported as Partial<Record<SettingName, Value>>)[name]

/** The value of all systems; undefined if they differ. */
export function commonValue(systems: readonly SystemSettings[], name: SettingName): Value | undefined {
  const [first, ...more] = systems.map((system) => desiredOf(system, name))
  return more.every((value) => value === first) ? first : undefined
}

/**
 * The specification of a field. For several systems the highest maximum counts; each validates for itself
 * when saved.
 */
export function commonSpec(systems: readonly SystemSettings[], name: SettingName): FieldSpec | undefined {
  const specs = systems.map(({ fields }) => fields[name]).filter((spec) => spec !== undefined)
  const [first] = specs
  if (!first || specs.length < 2 || first.max === undefined) return first
  return { ...first, max: Math.max(...specs.map(({ max }) => max ?? 0)) }
}

/** The maximum with its unit; null if it is unknown. */
export const maximumText = ({ max, unit }: FieldSpec, locale: Locale): string | null =>
  max == null ? null : joinQuantity({ value: formatNumber(max, locale), unit: unit ?? '' })

const decimalPoint = (locale: Locale) => formatNumber(0.5, locale, 1).charAt(1)

/** Formats a value for its input. A token is never shown, so its input is empty. */
export function typedText(value: Value, { kind }: FieldSpec, locale: Locale): string {
  if (value === null || kind === 'token') return ''
  return typeof value === 'number' ? String(value).replace('.', decimalPoint(locale)) : String(value)
}

/** Names that are not translated. */
const PROPER_NAMES: Record<string, string> = {
  tibber: 'Tibber',
  awattar: 'aWATTar',
  energy_charts: 'Energy-Charts',
  entsoe: 'ENTSO-E',
  adl400: 'Acrel ADL400',
  adw300: 'Acrel ADW300',
  sdm630: 'Eastron SDM630',
  em24: 'Carlo Gavazzi EM24',
  umg604: 'Janitza UMG 604',
  dtsu666: 'Chint DTSU666',
  shelly3em: 'Shelly 3EM',
  rs485: 'RS485',
  tcp: 'TCP',
}

const CHOICES = ['none', 'fixed', 'time_of_use', 'off', 'plan', 'price', 'sm', 'evu'] as const
type Choice = (typeof CHOICES)[number]
const isChoice = (value: string): value is Choice => CHOICES.some((choice) => choice === value)

export const choiceText = (choice: string, t: Translate): string =>
  isChoice(choice) ? t(`setting.choice.${choice}`) : (PROPER_NAMES[choice] ?? choice)

/** Formats a value for display: "10 %", "ein", "Tibber", "12,50 ct/kWh". */
export function valueText(value: Value, spec: FieldSpec, t: Translate, locale: Locale): string {
  if (value === null) return t('setting.unknown')
  if (typeof value === 'boolean') return t(value ? 'setting.on' : 'setting.off')
  if (typeof value === 'string') return spec.kind === 'choice' ? choiceText(value, t) : value
  const digits = spec.kind === 'price' ? 2 : value % 1 === 0 ? 0 : (spec.decimals ?? 0)
  const number = formatNumber(value, locale, digits)
  return spec.unit ? joinQuantity({ value: number, unit: spec.unit }) : number
}
