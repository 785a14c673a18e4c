/** Where the four nodes stand and which way the lines take, in the units of the picture (360 by 362). */
import type { Source, Use } from './model/flow'

export const VIEW = { width: 360, height: 362 } as const
export const RADIUS = 46

export const NODES = {
  pv: { x: 180, y: 62 },
  grid: { x: 58, y: 176 },
  house: { x: 302, y: 176 },
  battery: { x: 180, y: 290 },
} as const

/** Lines that share a corner run side by side, never over each other. */
const LANE = 12
const BEND = 22

const top = NODES.pv.y + RADIUS
const bottom = NODES.battery.y - RADIUS
const left = NODES.grid.x + RADIUS
const right = NODES.house.x - RADIUS
const { x: middle } = NODES.pv
const { y: centre } = NODES.grid

export const WAYS: Partial<Record<`${Source}-${Use}`, string>> = {
  'pv-house': `M${middle + LANE} ${top}V${centre - LANE - BEND}q0 ${BEND} ${BEND} ${BEND}H${right}`,
  'pv-grid': `M${middle - LANE} ${top}V${centre - LANE - BEND}q0 ${BEND} ${-BEND} ${BEND}H${left}`,
  'pv-battery': `M${middle} ${top}V${bottom}`,
  'grid-house': `M${left} ${centre}H${right}`,
  'grid-battery': `M${left} ${centre + LANE}H${middle - LANE - BEND}q${BEND} 0 ${BEND} ${BEND}V${bottom}`,
  'battery-house': `M${middle + LANE} ${bottom}V${centre + LANE + BEND}q0 ${-BEND} ${BEND} ${-BEND}H${right}`,
  'battery-grid': `M${middle - LANE} ${bottom}V${centre + LANE + BEND}q0 ${-BEND} ${-BEND} ${-BEND}H${left}`,
}

/** Drawn in grey under everything; grid to battery and back share a line. */
export const TRACKS = [
  'pv-house',
  'pv-grid',
  'pv-battery',
  'grid-house',
  'battery-house',
  'battery-grid',
] as const

/** A line of more power is thicker, up to a point. */
export const lineWidth = (watts: number) => 2 + Math.min(2.5, watts / 1_800)
