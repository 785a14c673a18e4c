/** The parts of the settings page, as the address keeps them: `?part=grants`, and in mails also `#grants`. */
export const PARTS = [
  'storage',
  'systems',
  'prices',
  'site',
  'grants',
  'company',
  'journal',
  'account',
] as const
export type Part = (typeof PARTS)[number]

/**
 * What is wrong in an address is passed over.
 * @param parts those that this person has
 */
export const readPart = (wish: unknown, otherwise: Part, parts: readonly Part[] = PARTS): Part =>
  parts.find((part) => part === wish) ?? otherwise
