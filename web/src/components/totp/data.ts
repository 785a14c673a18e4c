/** Requests for the second factor; each updates the cached account. */
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { accountQuery } from '@/lib/data/account'
import { invalidate } from '@/lib/query-client'

export type TotpShown = components['schemas']['TotpShown']

const accountChanged = () => invalidate(accountQuery)

export const beginTotp = (password: string) =>
  unwrap(api.POST('/api/auth/account/totp/', { body: { password } }))

export async function confirmTotp(totp: string) {
  const { recovery_codes } = await unwrap(api.POST('/api/auth/account/totp/confirm/', { body: { totp } }))
  await accountChanged()
  return recovery_codes
}

type Proof = { password: string; totp: string }

export async function renewRecoveryCodes(body: Proof) {
  const { recovery_codes } = await unwrap(api.POST('/api/auth/account/totp/recovery/', { body }))
  await accountChanged()
  return recovery_codes
}

export async function endTotp(body: Proof) {
  await unwrap(api.DELETE('/api/auth/account/totp/', { body }))
  await accountChanged()
}
