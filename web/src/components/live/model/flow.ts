/** Which power goes where: from source to use, in the order in which a house uses it. */
import { DEAD_BAND } from '@/lib/power'
import type { Powers } from './reading'

export type Source = 'pv' | 'battery' | 'grid'
export type Use = 'house' | 'battery' | 'grid'
export type Flow = { from: Source; to: Use; watts: number }

/** What a way is called in the catalogues: nouns are declined, so each way has a text of its own. */
type WayName =
  | 'pv_house'
  | 'pv_battery'
  | 'pv_grid'
  | 'battery_house'
  | 'battery_grid'
  | 'grid_house'
  | 'grid_battery'

/** Power flows on no other way (see `WAYS`). */
export const wayName = ({ from, to }: Flow) => `${from}_${to}` as WayName

/** The house first, then the battery, and what is left goes into the grid. */
const WAYS: readonly [Source, Use][] = [
  ['pv', 'house'],
  ['battery', 'house'],
  ['grid', 'house'],
  ['pv', 'battery'],
  ['grid', 'battery'],
  ['pv', 'grid'],
  ['battery', 'grid'],
]

/**
 * With a part missing nobody knows where the rest goes: then there are no flows at all.
 * @param gridDeadBand a grid that gives or takes no more is balanced
 */
export function flowsOf(powers: Powers, gridDeadBand = DEAD_BAND): Flow[] {
  const { pv, battery, house } = powers
  if (pv === null || powers.grid === null || battery === null || house === null) return []
  const grid = Math.abs(powers.grid) > gridDeadBand ? powers.grid : 0
  const given = { pv: Math.max(0, pv), battery: Math.max(0, battery), grid: Math.max(0, grid) }
  const wanted = { house: Math.max(0, house), battery: Math.max(0, -battery), grid: Math.max(0, -grid) }
  const flows: Flow[] = []
  for (const [from, to] of WAYS) {
    const watts = Math.min(given[from], wanted[to])
    given[from] -= watts
    wanted[to] -= watts
    if (watts > DEAD_BAND) flows.push({ from, to, watts })
  }
  return flows
}

/** How much of the house each source carries, between 0 and 1; all 0 when nothing flows. */
export function sharesOfHouse(flows: readonly Flow[]): Record<Source, number> {
  const toHouse = flows.filter(({ to }) => to === 'house')
  const total = toHouse.reduce((sum, { watts }) => sum + watts, 0)
  const share = (source: Source) => {
    const watts = toHouse.find(({ from }) => from === source)?.watts ?? 0
    return total > 0 ? watts / total : 0
  }
  return { pv: share('pv'), battery: share('battery'), grid: share('grid') }
}

/** The dots run in one of six speeds, so that a new reading seldom restarts them. */
export const SPEEDS = 6

export const speedOf = (watts: number) => Math.min(SPEEDS - 1, Math.floor(Math.log2(1 + watts / 250)))
