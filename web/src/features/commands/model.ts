/** The commands, their arguments and their states. */
import type { components } from '@/lib/api/schema'
import { readNumber } from '@/lib/number'
import type { Finding } from '@/lib/validation/codes'

/** `args` and `data` depend on the command: see `meterReading`. */
export type Command = Omit<components['schemas']['CommandBody'], 'args' | 'data'> & {
  args?: { soc?: number; until?: number }
  data?: unknown
}
/** A command request. The key identifies it, so that a repeated request runs only once. */
export type Order = components['schemas']['GiveCommand']

export const COMMANDS = [
  'switch_on',
  'switch_off',
  'charge_to',
  'hold',
  'auto',
  'calibrate',
  'restart',
  'meter_test',
] as const
export type CommandName = (typeof COMMANDS)[number]

export const newKey = () => crypto.randomUUID()

/** The battery has not reported the final state yet. */
export const isOpen = ({ state }: Command) => state === 'queued' || state === 'sent'

/** Offered durations in hours. */
export const HOLD_HOURS = ['1', '2', '4', '8', '12', '24', '48', '168'] as const
const HOUR = 3_600_000

/** The server's maximum less a minute, for clocks that differ slightly. */
const MAX_HOLD = 168 * HOUR - 60_000

/** @param now server time */
export const holdUntil = (hours: string, now: number) => now + Math.min(Number(hours) * HOUR, MAX_HOLD)

export const checkCharge = (text: string): Finding => {
  if (text.trim() === '') return 'required'
  const soc = readNumber(text)
  if (soc === null) return 'number_invalid'
  return soc < 0 || soc > 100 ? 'soc_range' : null
}

/** Optional: the battery chooses by default. The server knows the unit's maximum. */
export const checkPower = (text: string): Finding => {
  if (text.trim() === '') return null
  const watts = readNumber(text)
  if (watts === null) return 'number_invalid'
  return watts < 0 ? 'power_range' : null
}

export type Phase = { voltage: number; power: number | null; ok: boolean } | null
export type MeterReading = { step: number; steps: number; phases: Phase[] }

/** The results of a meter test so far. */
export function meterReading({ data }: Command): MeterReading | null {
  const seen = data as Partial<MeterReading> | null | undefined
  return seen?.phases && typeof seen.step === 'number' && seen.steps ? (seen as MeterReading) : null
}
