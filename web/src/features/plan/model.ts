/** Rules of the plan page: the next block, the result of each day, and the charge target's form. */
import type { Saving } from '@/lib/data/money'
import type { Block, Plan, Step } from '@/lib/data/plan'
import type { Findings } from '@/lib/form/model'
import { readTime } from '@/lib/validation/time'

const HOUR = 3_600_000

/** `waiting`: planning is on, but no plan has been made yet. */
export type PlanState = 'off' | 'waiting' | 'planned'

export const planStateOf = ({ on, issued }: Pick<Plan, 'on' | 'issued'>): PlanState =>
  on ? (issued === null ? 'waiting' : 'planned') : 'off'

/** A block that holds or buys energy; without a plan the battery would do neither. */
export type ActionBlock = Block & { mode: 'hold' | 'charge' }

export const isAction = (block: Block): block is ActionBlock => block.mode !== 'self'

/** The current or next block that holds or buys; null when there is none. */
export const nextAction = (blocks: readonly Block[], now: number): ActionBlock | null =>
  blocks.filter(isAction).find(({ end }) => end > now) ?? null

export const isUnderWay = ({ start, end }: Pick<Block, 'start' | 'end'>, now: number) =>
  start <= now && now < end

/** One hour of the plan, a row of the table. */
export type Hour = {
  start: number
  mode: Block['mode']
  /** Mean price in cents per kWh. */
  price: number
  /** All prices of the hour are published or fixed by contract. */
  known: boolean
  /** At the end of the hour. */
  soc: number | null
  low: number | null
  high: number | null
}

export function hoursOf({ steps, blocks }: Pick<Plan, 'steps' | 'blocks'>): Hour[] {
  const hours = new Map<number, Step[]>()
  for (const step of steps) {
    const start = Math.floor(step.start / HOUR) * HOUR
    hours.set(start, [...(hours.get(start) ?? []), step])
  }
  return [...hours].map(([start, parts]) => {
    const last = parts.at(-1)
    return {
      start: parts[0]?.start ?? start,
      mode: modeIn(blocks, start, start + HOUR),
      price: parts.reduce((sum, { price }) => sum + price, 0) / parts.length,
      known: parts.every(({ known }) => known),
      soc: last?.soc ?? null,
      low: last?.low ?? null,
      high: last?.high ?? null,
    }
  })
}

/** The most important mode between `start` and `end`: charge, then hold, then self. */
export function modeIn(blocks: readonly Block[], start: number, end: number): Block['mode'] {
  const modes = blocks.filter((block) => block.start < end && block.end > start).map(({ mode }) => mode)
  return (['charge', 'hold'] as const).find((mode) => modes.includes(mode)) ?? 'self'
}

/** The result of a day in cents. `uncounted`: its data has gaps. `unplanned`: it had no plan. */
export type DayResult =
  | { word: 'saved' | 'lost' | 'same'; cents: number }
  | { word: 'uncounted' | 'unplanned' }

export type SavedDay = Saving & { result: DayResult }

function resultOf({ actual, without_plan, counted }: Saving): DayResult {
  if (!counted || actual === null) return { word: 'uncounted' }
  if (without_plan === null) return { word: 'unplanned' }
  const saved = without_plan - actual
  if (saved === 0) return { word: 'same', cents: 0 }
  return { word: saved > 0 ? 'saved' : 'lost', cents: Math.abs(saved) }
}

/** From the first planned day on, newest first. */
export function savedDays(rows: readonly Saving[]): SavedDay[] {
  const first = rows.findIndex(({ without_plan }) => without_plan !== null)
  if (first < 0) return []
  return rows
    .slice(first)
    .map((row) => ({ ...row, result: resultOf(row) }))
    .reverse()
}

export type SavingsSum = {
  /** In cents; negative is a loss. */
  saved: number
  /** Number of days in the sum. */
  counted: number
  /** Number of days that are left out because of gaps. */
  uncounted: number
  /** Number of counted days with a loss. */
  lost: number
}

export function sumOf(days: readonly SavedDay[]): SavingsSum {
  const of = (...words: DayResult['word'][]) => days.filter(({ result }) => words.includes(result.word))
  const cents = (all: readonly SavedDay[]) =>
    all.reduce((sum, { result }) => sum + ('cents' in result ? result.cents : 0), 0)
  return {
    saved: cents(of('saved')) - cents(of('lost')),
    counted: of('saved', 'lost', 'same').length,
    uncounted: of('uncounted').length,
    lost: of('lost').length,
  }
}

export type ChargeTargetValues = { soc: string; by: string }

export const checkChargeTarget = ({ soc, by }: ChargeTargetValues): Findings<ChargeTargetValues> => ({
  soc: /^\d{1,3}$/.test(soc.trim()) && Number(soc) <= 100 ? null : 'soc_range',
  by: /^([01]\d|2[0-3]):[0-5]\d$/.test(readTime(by)) ? null : 'time_invalid',
})
