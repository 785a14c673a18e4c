/** Positions of the four nodes and paths of the lines, in the picture's units (360 × 362). */
import type { Source, Use } from './model/flow'

export const VIEW = { width: 360, height: 362 } as const
export const RADIUS = 46

export const NODES = {
  pv: { x: 180, y: 62 },
  grid: { x: 58, y: 176 },
  house: { x: 302, y: 176 },
  battery: { x: 180, y: 290 },
} as const

/** Lines that share a corner run side by side. */
const LANE_WIDTH = 12
const BEND_RADIUS = 22

const top = NODES.pv.y + RADIUS
const bottom = NODES.battery.y - RADIUS
const left = NODES.grid.x + RADIUS
const right = NODES.house.x - RADIUS
const { x: middle } = NODES.pv
const { y: centre } = NODES.grid

export const PATHS: Partial<Record<`${Source}-${Use}`, string>> = {
  'pv-house': `M${middle + LANE_WIDTH} ${top}V${centre - LANE_WIDTH - BEND_RADIUS}q0 ${BEND_RADIUS} ${BEND_RADIUS} ${BEND_RADIUS}H${right}`,
  'pv-grid': `M${middle - LANE_WIDTH} ${top}V${centre - LANE_WIDTH - BEND_RADIUS}q0 ${BEND_RADIUS} ${-BEND_RADIUS} ${BEND_RADIUS}H${left}`,
  'pv-battery': `M${middle} ${top}V${bottom}`,
  'grid-house': `M${left} ${centre}H${right}`,
  'grid-battery': `M${left} ${centre + LANE_WIDTH}H${middle - LANE_WIDTH - BEND_RADIUS}q${BEND_RADIUS} 0 ${BEND_RADIUS} ${BEND_RADIUS}V${bottom}`,
  'battery-house': `M${middle + LANE_WIDTH} ${bottom}V${centre + LANE_WIDTH + BEND_RADIUS}q0 ${-BEND_RADIUS} ${BEND_RADIUS} ${-BEND_RADIUS}H${right}`,
  'battery-grid': `M${middle - LANE_WIDTH} ${bottom}V${centre + LANE_WIDTH + BEND_RADIUS}q0 ${-BEND_RADIUS} ${-BEND_RADIUS} ${-BEND_RADIUS}H${left}`,
}

/** Grey background lines; both directions between grid and battery share one. */
export const TRACKS = [
  'pv-house',
  'pv-grid',
  'pv-battery',
  'grid-house',
  'battery-house',
  'battery-grid',
] as const

/** Line width by power, limited. */
export const lineWidth = (watts: number) => 2 + Math.min(2.5, watts / 1_800)
