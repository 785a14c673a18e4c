/** The countries of the product, in the order of the specification. */
export const COUNTRIES = ['DE', 'PL', 'AT', 'CH', 'BE', 'FR', 'LV', 'LT', 'EE', 'HR', 'NL'] as const
export type Country = (typeof COUNTRIES)[number]
