/** Where a commissioning stands, as the guided list shows it. */
import type { components } from '@/lib/api/schema'
import type { Live } from '@/lib/live/live'

export type Commissioning = components['schemas']['CommissioningEntry']
export type Candidate = components['schemas']['Candidate']
export type Step = components['schemas']['StepEntry']
export type StepName = Step['step']
export type Phase = components['schemas']['PhaseEntry']

/** A load that is to be seen draws at least so many W; the server judges by the same number. */
export const LOAD = 300
/** A battery that does more hides the load. */
const BATTERY_IDLE = 100
const HOLD = 30 * 60_000

export const holdUntil = (now: number) => now + HOLD

/** "Anna Berg", or nothing while nobody is named. */
export const fullName = ({ first_name, last_name }: Pick<Commissioning, 'first_name' | 'last_name'>) =>
  [first_name, last_name].filter(Boolean).join(' ')

/** A unit that may be commissioned together with another: its number, phase, customer and town. */
export const candidateLabel = (unit: Candidate) =>
  [unit.sn, `L${unit.phase}`, fullName(unit), unit.place].filter(Boolean).join(' · ')

/** What to do next: the first step that has not passed. */
export const nextStep = (steps: readonly Step[]): StepName | null =>
  steps.find(({ state }) => state !== 'passed')?.step ?? null

export const passedCount = (steps: readonly Step[]) => steps.filter(({ state }) => state === 'passed').length

/** Something is wrong, rather than not done yet: the first look at a step that nobody has touched is no failure. */
export const isTrouble = ({ state, at }: Step) => state === 'failed' && at !== null

/** What the meter shows on each phase over all units, in W; null where nobody measures. */
export function meterPowers(live: Live | undefined, units: readonly string[]): (number | null)[] {
  return [0, 1, 2].map((place) => {
    const powers = units
      .map((sn) => live?.entries[sn]?.meter_powers[place])
      .filter((power): power is number => typeof power === 'number')
    return powers.length > 0 ? powers.reduce((sum, power) => sum + power, 0) : null
  })
}

/** Whether the batteries rest, so that a load can be seen. */
export const batteriesRest = (live: Live | undefined, units: readonly string[]) =>
  units.every((sn) => Math.abs(live?.entries[sn]?.battery_power ?? 0) <= BATTERY_IDLE)

/** Every phase that a meter reports has shown its load. */
export function allPassed(phases: readonly Phase[]): boolean {
  const measured = phases.filter((phase) => phase.measured)
  return measured.length > 0 && measured.every(({ rise }) => rise !== null)
}

/** Titles of the steps that a refusal to finish names. */
export function openTitles(body: unknown): string[] {
  const open = (body as { open?: { title: string }[] } | null)?.open
  return Array.isArray(open) ? open.map(({ title }) => title) : []
}
