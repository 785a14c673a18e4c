/** Null if the text is not a number. Whole numbers have no decimal point, because "4.000" W is ambiguous. */
export function readNumber(text: string, decimals = 0): number | null {
  const [, whole, fraction = ''] = /^(-?\d{1,12})(?:[.,](\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > decimals) return null
  return Number(`${whole}.${fraction || '0'}`)
}
