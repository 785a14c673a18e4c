/** The battery's messages by category, and labels for its states. */
import { isOpenedBySwitch, type LiveEntry } from '@/lib/live/live'
import type { Reading } from './reading'

export type Message = LiveEntry['last_messages'][number]
export type MessageKind = 'protection' | 'battery' | 'other'

/** The time that a battery without a clock sends. */
const NO_TIME = '2000-0-0 0:0:0'

const BATTERY_ERRORS = new Set(['meter_lost', 'bms_fault', 'relay_fault', 'hw_fault'])

function kindOf({ code }: Message): MessageKind {
  if (code.startsWith('na_')) return 'protection'
  return BATTERY_ERRORS.has(code) ? 'battery' : 'other'
}

export function messagesOf(messages: readonly Message[]): Record<MessageKind, Message[]> {
  const dated = messages.filter(({ time }) => time !== NO_TIME)
  const of = (kind: MessageKind) => dated.filter((message) => kindOf(message) === kind)
  return { protection: of('protection'), battery: of('battery'), other: of('other') }
}

/** In the order of the specification; the main switch (`ein`, `aus`) has no label. */
const LABELS = ['m', 'sm1', 'i2', 'i1', 'i', 'relay', 'bat', 'u', 'hw', 'sv', 'na_schutz'] as const
export type Label = (typeof LABELS)[number]

export const labelsOf = (flags: Reading['flags']): Label[] =>
  LABELS.filter((label) => flags[label] && !isOpenedBySwitch(label, flags))

/** `sv` is routine maintenance by the battery. */
export const toneOf = (label: Label): 'info' | 'warn' | 'danger' => {
  if (label === 'sv') return 'info'
  return label === 'bat' || label === 'hw' || label === 'relay' ? 'danger' : 'warn'
}
