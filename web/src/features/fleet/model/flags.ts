/** What a battery says about itself, sorted for somebody who looks for a fault: what is wrong, and how it is set up. */
import { type FlagSets, isOpenedBySwitch, type LiveEntry } from '@/lib/live/live'

/** Wrong when set; the gravest first. The dashboard's flags have their texts there. */
const WRONG = [
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

/** Going on just now, and no reason to worry. */
const RUNNING = [
  'wait60',
  'sm_test',
  'sv',
  'm3_volt_balanc',
  'm3_passiv_balanc',
  'm3_black_start',
  'm5_ups_flag',
] as const

/** How it is built and wired. */
const SETUP = [
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

export type Flag = (typeof WRONG)[number] | (typeof RUNNING)[number] | (typeof SETUP)[number]

export type Diagnosis = {
  wrong: Flag[]
  running: Flag[]
  /** All of them, set or not; empty while the battery has not said. */
  setup: { flag: Flag; on: boolean }[]
}

export function diagnosisOf(entry: LiveEntry, sets: FlagSets | undefined, sn: string): Diagnosis {
  const more = { ...sets?.message3[sn], ...sets?.message5[sn], ...sets?.message6[sn] }
  const on: Record<string, boolean | undefined> = { ...entry.message1, ...entry.message2, ...more }
  const isOn = (flag: Flag) => on[flag] === true
  const isBySwitch = (flag: Flag) => isOpenedBySwitch(flag, on)
  return {
    wrong: WRONG.filter((flag) => isOn(flag) && !isBySwitch(flag)),
    running: [...RUNNING, ...WRONG.filter(isBySwitch)].filter(isOn),
    // Only what is set has a name in an answer: a set that is there and empty says that all are off.
    setup: sets?.message3[sn] ? SETUP.map((flag) => ({ flag, on: isOn(flag) })) : [],
  }
}

/** The grid's voltage and how far it may be off it, by EN 50160. */
const NOMINAL = 230
const BAND = 0.1

export type Phase = { number: number; volts: number | null; inBand: boolean }

/** The phases that were measured; where the unit itself feeds in is marked by its number. */
export const phasesOf = (voltages: readonly (number | null)[]): Phase[] =>
  voltages.map((volts, index) => ({
    number: index + 1,
    volts,
    inBand: volts === null || Math.abs(volts - NOMINAL) <= NOMINAL * BAND,
  }))
