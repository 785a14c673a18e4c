import type { Finding } from './codes'

/** In hundredths of a cent. */
const MAX = 500_00

/** A price per kWh in cents, with point or comma. Sent as typed: the server parses all digits. */
export function checkPrice(value: string): Finding {
  const price = value.trim()
  if (price === '') return 'required'
  const parts = /^(-?)(\d+)(?:[.,](\d{1,2}))?$/.exec(price)
  if (!parts) return 'price_invalid'
  const [, sign, whole, decimals = ''] = parts
  const hundredths = Number(whole) * 100 + Number(decimals.padEnd(2, '0'))
  return sign === '-' || hundredths > MAX ? 'price_range' : null
}
