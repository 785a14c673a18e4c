/** Commands to a battery: what can be asked for, and how one fares. */
import type { components } from '@/lib/api/schema'
import { readNumber } from '@/lib/number'
import type { Finding } from '@/lib/validation/codes'

/** What a command brings depends on the command: see `meterReading`. */
export type Command = Omit<components['schemas']['CommandBody'], 'args' | 'data'> & {
  args?: { soc?: number; until?: number }
  data?: unknown
}
/** What the browser asks for; the key names this one act, so that it happens once however often it is sent. */
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

/** The battery has not had its last word yet. */
export const isOpen = ({ state }: Command) => state === 'queued' || state === 'sent'

/** Hours that a battery can be told to rest for. */
export const HOLD_HOURS = ['1', '2', '4', '8', '12', '24', '48', '168'] as const
const HOUR = 3_600_000

/** The server takes no longer rest than this; a minute of it is for clocks that differ a little. */
const MAX_HOLD = 168 * HOUR - 60_000

/** @param now on the server's clock */
export const holdUntil = (hours: string, now: number) => now + Math.min(Number(hours) * HOUR, MAX_HOLD)

export const checkCharge = (text: string): Finding => {
  if (text.trim() === '') return 'required'
  const soc = readNumber(text)
  if (soc === null) return 'number_invalid'
  return soc < 0 || soc > 100 ? 'soc_range' : null
}

/** It may be left to the battery; how much a unit can do the server knows. */
export const checkPower = (text: string): Finding => {
  if (text.trim() === '') return null
  const watts = readNumber(text)
  if (watts === null) return 'number_invalid'
  return watts < 0 ? 'power_range' : null
}

export type Phase = { voltage: number; power: number | null; ok: boolean } | null
export type MeterReading = { step: number; steps: number; phases: Phase[] }

/** What a test of the meter has seen so far. */
export function meterReading({ data }: Command): MeterReading | null {
  const seen = data as Partial<MeterReading> | null | undefined
  return seen?.phases && typeof seen.step === 'number' && seen.steps ? (seen as MeterReading) : null
}
