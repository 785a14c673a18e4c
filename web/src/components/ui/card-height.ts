/** The heights of cards whose content comes later, so that nothing moves when it does. */
export const CARD_HEIGHT = {
  chart: 'h-179.5 sm:h-199.75 xl:h-153.25',
  money: 'h-92.25 sm:h-66',
} as const
