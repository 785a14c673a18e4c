/** The layout of the picture: prices above, state of charge below, on one time axis. */
import type { Plan, Step } from '@/lib/data/plan'
import { type ActionBlock, isAction } from './model'

const QUARTER = 900_000
const HOUR = 4 * QUARTER

/** All in pixels. */
const LEFT = 34
const RIGHT = 8
const PRICES = { top: 22, bottom: 112 }
const CHARGE = { top: 152, bottom: 262 }
export const HEIGHT = 290
/** Minimum distance between hour labels. */
const LABEL = 52

export type Line = { path: string; known: boolean }
export type Area = ActionBlock & { x: number; width: number }
export type Tick = { at: number; x: number }
export type Level = { value: number; y: number }

export type Picture = {
  left: number
  right: number
  prices: { top: number; bottom: number; lines: Line[]; levels: Level[] }
  charge: { top: number; bottom: number; line: string; band: string; levels: Level[] }
  blocks: Area[]
  hours: Tick[]
  target: { x: number; y: number } | null
}

/** The hour on the site's clock. */
type HourOf = (at: number) => number

/** @param width the available width in pixels */
export function pictureOf(
  { steps, blocks, wish: target }: Pick<Plan, 'steps' | 'blocks' | 'wish'>,
  width: number,
  hourOf: HourOf,
) {
  const first = steps[0]
  const last = steps.at(-1)
  if (!first || !last) return null
  const [from, until] = [first.start, last.start + QUARTER]
  const right = width - RIGHT
  const x = (at: number) =>
    round(LEFT + ((Math.min(Math.max(at, from), until) - from) / (until - from)) * (right - LEFT))
  const levels = priceLevels(steps)
  const [lowest = 0, highest = 1] = [levels[0], levels.at(-1)]
  const priceY = scale(PRICES, lowest, highest)
  const chargeY = scale(CHARGE, 0, 100)
  return {
    left: LEFT,
    right,
    prices: {
      ...PRICES,
      lines: priceLines(steps, x, priceY),
      levels: levels.map((value) => ({ value, y: priceY(value) })),
    },
    charge: {
      ...CHARGE,
      line: pathOf(
        steps.flatMap(({ start, soc }) => (soc === null ? [] : [[x(start + QUARTER), chargeY(soc)]])),
      ),
      band: bandOf(steps, x, chargeY),
      levels: [0, 50, 100].map((value) => ({ value, y: chargeY(value) })),
    },
    blocks: blocks
      .filter(isAction)
      .filter(({ start, end }) => end > from && start < until)
      .map((block) => ({
        ...block,
        x: x(block.start),
        width: Math.max(2, round(x(block.end) - x(block.start))),
      })),
    hours: hoursBetween(from, until, right - LEFT, hourOf).map((at) => ({ at, x: x(at) })),
    target:
      target && target.by > from && target.by <= until ? { x: x(target.by), y: chargeY(target.soc) } : null,
  } satisfies Picture
}

/** The step at position `x`, in pixels from the picture's left edge, and the position where it is drawn. */
export function stepAt(steps: readonly Step[], { left, right }: Pick<Picture, 'left' | 'right'>, x: number) {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) return null
  const length = last.start + QUARTER - first.start
  const at = first.start + ((x - left) / (right - left)) * length
  const step = steps.findLast(({ start }) => start <= at) ?? first
  return {
    step,
    x: round(left + ((step.start + QUARTER - first.start) / length) * (right - left)),
    y: step.soc === null ? null : scale(CHARGE, 0, 100)(step.soc),
  }
}

const round = (pixels: number) => Math.round(pixels * 10) / 10

const scale =
  ({ top, bottom }: { top: number; bottom: number }, low: number, high: number) =>
  (value: number) =>
    round(bottom - ((value - low) / (high - low)) * (bottom - top))

/** Three or four round numbers that span all prices; negative only where a price is. */
export function priceLevels(steps: readonly Pick<Step, 'price'>[]): number[] {
  const prices = steps.map(({ price }) => price)
  const [low, high] = [Math.min(0, ...prices), Math.max(1, ...prices)]
  const every = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((one) => (high - low) / one <= 3) ?? 1_000
  const first = Math.floor(low / every)
  const count = Math.ceil(high / every) - first
  return Array.from({ length: count + 1 }, (_, place) => (first + place) * every)
}

/** One step line for each run of known or of forecast prices. */
function priceLines(steps: readonly Step[], x: (at: number) => number, y: (price: number) => number): Line[] {
  const lines: { known: boolean; points: number[][] }[] = []
  for (const { start, price, known } of steps) {
    const ends = [
      [x(start), y(price)],
      [x(start + QUARTER), y(price)],
    ]
    const line = lines.at(-1)
    if (line?.known === known) line.points.push(...ends)
    // The vertical line between two runs is part of the later one.
    else lines.push({ known, points: [...(line?.points.slice(-1) ?? []), ...ends] })
  }
  return lines.map(({ known, points }) => ({ known, path: pathOf(points) }))
}

const pathOf = (points: readonly number[][]) =>
  points.map(([x, y], place) => `${place === 0 ? 'M' : 'L'}${x} ${y}`).join('')

function bandOf(steps: readonly Step[], x: (at: number) => number, y: (soc: number) => number): string {
  const edges = steps.flatMap(({ start, low, high }) =>
    low === null || high === null ? [] : [{ x: x(start + QUARTER), low: y(low), high: y(high) }],
  )
  if (edges.length === 0) return ''
  const above = edges.map((edge) => [edge.x, edge.high])
  const below = edges.map((edge) => [edge.x, edge.low]).reverse()
  return `${pathOf([...above, ...below])}Z`
}

/** Full hours, as many as there is room for; midnight is always one of them. */
function hoursBetween(from: number, until: number, room: number, hourOf: HourOf): number[] {
  const hours = (until - from) / HOUR
  const every = [1, 2, 3, 6, 12].find((one) => (room / hours) * one >= LABEL) ?? 24
  const first = Math.ceil(from / HOUR)
  const ticks: number[] = []
  for (let hour = first; hour * HOUR < until; hour++) ticks.push(hour * HOUR)
  return ticks.filter((at) => hourOf(at) % every === 0)
}
