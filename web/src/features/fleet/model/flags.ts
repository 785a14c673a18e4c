/** The battery's flags for a diagnosis: faults, running functions and setup. */
import { type FlagSets, isOpenedBySwitch, type LiveEntry } from '@/lib/live/live'

/** Faults when set, most serious first. The dashboard's texts are used where they exist. */
const FAULT_FLAGS = [
  'bat',
  'hw',
  'relay',
  'na_schutz',
  'i2',
  'i1',
  'i',
  'u',
  'm',
  'sm1',
  'sm2',
  'm3_rotation',
  'm3_BMS',
  'm3_ethernet_off',
] as const

/** Running functions, which are no faults. */
const RUNNING_FLAGS = [
  'wait60',
  'sm_test',
  'sv',
  'm3_volt_balanc',
  'm3_passiv_balanc',
  'm3_black_start',
  'm5_ups_flag',
] as const

/** Construction and wiring. */
const SETUP_FLAGS = [
  'm3_slave',
  'm3_gateway',
  'm5_ups_enable',
  'm5_plugin',
  'm5_sm_test',
  'm5_harmonic_ctrl',
  'm6_power_mang',
  'm6_sm_rs485_tcp',
  'm6_p_soll_tcp',
  'm6_evu_rs485_tcp',
  'm6_sunspec_set',
  'm6_q_ctrl',
] as const

export type Flag =
  | (typeof FAULT_FLAGS)[number]
  | (typeof RUNNING_FLAGS)[number]
  | (typeof SETUP_FLAGS)[number]

export type Diagnosis = {
  wrong: Flag[]
  running: Flag[]
  /** All setup flags, set or not; empty until the battery has reported them. */
  setup: { flag: Flag; on: boolean }[]
}

export function diagnosisOf(entry: LiveEntry, sets: FlagSets | undefined, sn: string): Diagnosis {
  const more = { ...sets?.message3[sn], ...sets?.message5[sn], ...sets?.message6[sn] }
  const on: Record<string, boolean | undefined> = { ...entry.message1, ...entry.message2, ...more }
  const isOn = (flag: Flag) => on[flag] === true
  const isBySwitch = (flag: Flag) => isOpenedBySwitch(flag, on)
  return {
    wrong: FAULT_FLAGS.filter((flag) => isOn(flag) && !isBySwitch(flag)),
    running: [...RUNNING_FLAGS, ...FAULT_FLAGS.filter(isBySwitch)].filter(isOn),
    // The answer contains only flags that are set; an empty set means that all are off.
    setup: sets?.message3[sn] ? SETUP_FLAGS.map((flag) => ({ flag, on: isOn(flag) })) : [],
  }
}

/** Nominal grid voltage and its tolerance by EN 50160. */
const NOMINAL = 230
const BAND = 0.1

export type Phase = { number: number; volts: number | null; inBand: boolean }

/** The measured phases; the unit's own phase is marked. */
export const phasesOf = (voltages: readonly (number | null)[]): Phase[] =>
  voltages.map((volts, index) => ({
    number: index + 1,
    volts,
    inBand: volts === null || Math.abs(volts - NOMINAL) <= NOMINAL * BAND,
  }))
