/** Completes "7:30", "730" and "7"; anything else stays as typed. */
export function readTime(text: string): string {
  const [, hour = '', minute = '00'] = /^\s*(\d{1,2})(?:[:.]?(\d{2}))?\s*$/.exec(text) ?? []
  return hour === '' ? text.trim() : `${hour.padStart(2, '0')}:${minute}`
}
