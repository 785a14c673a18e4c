/** The browsers' default font size, for which drawings are sized. */
const DEFAULT_FONT_SIZE = 16

/** The browser's font size relative to the default, for drawings with their own text. */
export const textScale = () =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / DEFAULT_FONT_SIZE || 1
