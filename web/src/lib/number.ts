/** Null: no number. A whole number has no point at all, for "4.000" W would be 4 W to one and 4,000 W to the other. */
export function readNumber(text: string, decimals = 0): number | null {
  const [, whole, fraction = ''] = /^(-?\d{1,12})(?:[.,](\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return null
  return Number(`${whole}.${fraction || '0'}`)
}
