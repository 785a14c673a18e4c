/** What browsers write in by default; sizes of drawings are made for it. */
const USUAL = 16

/** How much larger somebody has chosen text to be in their browser, for drawings that write by themselves. */
export const textScale = () =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL || 1
