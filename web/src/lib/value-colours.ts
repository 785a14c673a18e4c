/** The colours of values, the same on cards, lines and marks. */
export type ValueColour = 'pv' | 'grid' | 'battery' | 'soc' | 'home'

export const VALUE_COLOUR: Record<ValueColour, string> = {
  pv: 'text-pv',
  grid: 'text-grid',
  battery: 'text-battery',
  soc: 'text-soc',
  home: 'text-home',
}
