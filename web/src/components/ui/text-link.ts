/** The look of a link inside text; it takes any router or plain link. */
export const textLinkStyle =
  'rounded-sm font-medium text-battery-text underline decoration-1 underline-offset-4 hover:decoration-2'
