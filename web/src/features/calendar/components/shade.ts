import type { Level } from '../model/day'

/** The shades of self-sufficiency, light enough for readable text. */
export const SHADES: Record<Level, string> = {
  0: 'bg-battery/2',
  1: 'bg-battery/7',
  2: 'bg-battery/12',
  3: 'bg-battery/18',
  4: 'bg-battery/24',
}
