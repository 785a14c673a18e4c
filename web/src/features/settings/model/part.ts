/** The parts of the settings page, as the address keeps them. */
export const PARTS = ['storage', 'prices', 'journal', 'account'] as const
export type Part = (typeof PARTS)[number]

/** What is wrong in an address is passed over. */
export const readPart = (wish: unknown, otherwise: Part): Part =>
  PARTS.find((part) => part === wish) ?? otherwise
