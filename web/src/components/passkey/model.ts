/** Validation of the passkey forms. */
import { checkFactor } from '@/components/totp/model'

/** The server's limit. */
export const NAME_MAX = 60

export function checkName({ name }: { name: string }) {
  const length = [...name.trim()].length
  if (length === 0) return { name: 'required' as const }
  return { name: length > NAME_MAX ? ('too_long' as const) : null }
}

/** Proposes a name: the device, as far as the user agent names it. */
export function deviceName(userAgent: string): string {
  const known = [/iPhone/, /iPad/, /Android/, /Windows/, /Mac(?= OS)/, /CrOS/, /Linux/]
  const found = known.map((device) => userAgent.match(device)?.[0]).find(Boolean)
  return found === 'CrOS' ? 'Chromebook' : (found ?? '')
}

/** The password, and the code with two-step login. */
export const checkIdentity = (values: { password: string; totp: string }, takesCode: boolean) => ({
  password: values.password === '' ? ('required' as const) : null,
  ...(takesCode && checkFactor(values)),
})
