/** Reads the page's colours for the canvas. */
const read = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

export const readTheme = () => ({
  pv: read('pv'),
  grid: read('grid'),
  battery: read('battery'),
  soc: read('soc'),
  home: read('home'),
  line: read('line'),
  muted: read('muted'),
  text: read('text'),
  surface: read('surface'),
})
export type PlotTheme = ReturnType<typeof readTheme>

export const FONT = '"Inter Variable", system-ui, sans-serif'
