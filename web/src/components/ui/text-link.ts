/** The style of links inside text. */
export const textLinkStyle =
  'rounded-sm font-medium text-battery-text underline decoration-1 underline-offset-4 hover:decoration-2'
