/** What a plan says next, what its days saved, and which wish is understood. */
import type { Saving } from '@/lib/api/money-queries'
import type { Block, Plan, Step } from '@/lib/api/plan-queries'
import type { Findings } from '@/lib/form/model'
import { readTime } from '@/lib/validation/time'

const HOUR = 3_600_000

/** Where a plan stands: not wanted, wanted but not made yet, or made. */
export type Standing = 'off' | 'waiting' | 'planned'

export const standingOf = ({ on, issued }: Pick<Plan, 'on' | 'issued'>): Standing =>
  on ? (issued === null ? 'waiting' : 'planned') : 'off'

/** Holds or buys: everything else the battery would do without a plan. */
export type Act = Block & { mode: 'hold' | 'charge' }

export const acts = (block: Block): block is Act => block.mode !== 'self'

/** The block that acts now or as the next one; null when none does. */
export const nextAct = (blocks: readonly Block[], now: number): Act | null =>
  blocks.filter(acts).find(({ end }) => end > now) ?? null

export const isUnderWay = ({ start, end }: Pick<Block, 'start' | 'end'>, now: number) =>
  start <= now && now < end

/** An hour of the plan, for those who read a table. */
export type Hour = {
  start: number
  mode: Block['mode']
  /** The mean, in cents a kWh. */
  price: number
  /** All of it is published, or part of the contract. */
  known: boolean
  /** At its end. */
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

/** What is special about a stretch of time: buying before holding before nothing. */
export function modeIn(blocks: readonly Block[], start: number, end: number): Block['mode'] {
  const modes = blocks.filter((block) => block.start < end && block.end > start).map(({ mode }) => mode)
  return (['charge', 'hold'] as const).find((mode) => modes.includes(mode)) ?? 'self'
}

/** What became of a day: saved or cost so many cents, not counted, or nobody planned. */
export type Outcome = { word: 'saved' | 'lost' | 'same'; cents: number } | { word: 'uncounted' | 'unplanned' }

export type SavedDay = Saving & { outcome: Outcome }

function outcomeOf({ actual, without_plan, counted }: Saving): Outcome {
  if (!counted || actual === null) return { word: 'uncounted' }
  if (without_plan === null) return { word: 'unplanned' }
  const saved = without_plan - actual
  if (saved === 0) return { word: 'same', cents: 0 }
  return { word: saved > 0 ? 'saved' : 'lost', cents: Math.abs(saved) }
}

/** From the first day that a plan was held against on, the newest first. */
export function savedDays(rows: readonly Saving[]): SavedDay[] {
  const first = rows.findIndex(({ without_plan }) => without_plan !== null)
  if (first < 0) return []
  return rows
    .slice(first)
    .map((row) => ({ ...row, outcome: outcomeOf(row) }))
    .reverse()
}

export type SavingsSum = {
  /** In cents; below zero the plan cost money. */
  saved: number
  /** Days that are in it. */
  counted: number
  /** Days that are not, for too little of them is known. */
  uncounted: number
  /** Days of those in it on which the plan cost money. */
  lost: number
}

export function sumOf(days: readonly SavedDay[]): SavingsSum {
  const of = (...words: Outcome['word'][]) => days.filter(({ outcome }) => words.includes(outcome.word))
  const cents = (all: readonly SavedDay[]) =>
    all.reduce((sum, { outcome }) => sum + ('cents' in outcome ? outcome.cents : 0), 0)
  return {
    saved: cents(of('saved')) - cents(of('lost')),
    counted: of('saved', 'lost', 'same').length,
    uncounted: of('uncounted').length,
    lost: of('lost').length,
  }
}

export type WishValues = { soc: string; by: string }

export const checkWish = ({ soc, by }: WishValues): Findings<WishValues> => ({
  soc: /^\d{1,3}$/.test(soc.trim()) && Number(soc) <= 100 ? null : 'soc_range',
  by: /^([01]\d|2[0-3]):[0-5]\d$/.test(readTime(by)) ? null : 'time_invalid',
})
