/** Distributes power from sources to uses, in the order of a real house. */
import { DEAD_BAND } from '@/lib/power'
import type { Powers } from './reading'

export type Source = 'pv' | 'battery' | 'grid'
export type Use = 'house' | 'battery' | 'grid'
export type Flow = { from: Source; to: Use; watts: number }

/** Name of a path in the catalogues. Nouns are declined, so each path has its own text. */
type PathName =
  | 'pv_house'
  | 'pv_battery'
  | 'pv_grid'
  | 'battery_house'
  | 'battery_grid'
  | 'grid_house'
  | 'grid_battery'

/** Valid because flows use only the paths of `WAYS`. */
export const pathName = ({ from, to }: Flow) => `${from}_${to}` as PathName

/** Priority: house, battery, grid. */
const FLOW_PRIORITY: readonly [Source, Use][] = [
  ['pv', 'house'],
  ['battery', 'house'],
  ['grid', 'house'],
  ['pv', 'battery'],
  ['grid', 'battery'],
  ['pv', 'grid'],
  ['battery', 'grid'],
]

/**
 * Without all values the distribution is unknown, and there are no flows. @param gridDeadBand smaller grid
 * power counts as balanced
 */
export function flowsOf(powers: Powers, gridDeadBand = DEAD_BAND): Flow[] {
  const { pv, battery, house } = powers
  if (pv === null || powers.grid === null || battery === null || house === null) return []
  const grid = Math.abs(powers.grid) > gridDeadBand ? powers.grid : 0
  const given = { pv: Math.max(0, pv), battery: Math.max(0, battery), grid: Math.max(0, grid) }
  const wanted = { house: Math.max(0, house), battery: Math.max(0, -battery), grid: Math.max(0, -grid) }
  const flows: Flow[] = []
  for (const [from, to] of FLOW_PRIORITY) {
    const watts = Math.min(given[from], wanted[to])
    given[from] -= watts
    wanted[to] -= watts
    if (watts > DEAD_BAND) flows.push({ from, to, watts })
  }
  return flows
}

/** The share of each source in the house's load, 0 to 1; all 0 when nothing flows. */
export function sharesOfHouse(flows: readonly Flow[]): Record<Source, number> {
  const toHouse = flows.filter(({ to }) => to === 'house')
  const total = toHouse.reduce((sum, { watts }) => sum + watts, 0)
  const share = (source: Source) => {
    const watts = toHouse.find(({ from }) => from === source)?.watts ?? 0
    return total > 0 ? watts / total : 0
  }
  return { pv: share('pv'), battery: share('battery'), grid: share('grid') }
}

/** Dots have six speeds, so that a new reading seldom restarts the animation. */
export const SPEEDS = 6

export const speedOf = (watts: number) => Math.min(SPEEDS - 1, Math.floor(Math.log2(1 + watts / 250)))
