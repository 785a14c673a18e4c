/** The parts of the settings page in the address: `?part=grants`, in mails also `#grants`. */
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

/** Ignores invalid values. @param parts the parts that this person has */
export const readPart = (value: unknown, otherwise: Part, parts: readonly Part[] = PARTS): Part =>
  parts.find((part) => part === value) ?? otherwise
