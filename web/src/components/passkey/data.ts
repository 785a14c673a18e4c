/** Requests for the account's passkeys; each updates the cached account. */
import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { accountQuery } from '@/lib/data/account'
import { invalidate } from '@/lib/query-client'

export type PasskeyCreation = components['schemas']['PasskeyCreation']
export type Proof = components['schemas']['Proof']

const accountChanged = () => invalidate(accountQuery)

export const beginPasskey = (body: Proof) => unwrap(api.POST('/api/auth/account/passkey/options/', { body }))

export async function addPasskey(name: string, passkey: string) {
  await unwrap(api.POST('/api/auth/account/passkey/', { body: { name, passkey } }))
  await accountChanged()
}

export async function renamePasskey(id: number, name: string) {
  await unwrap(api.PATCH('/api/auth/account/passkey/{id}/', { params: { path: { id } }, body: { name } }))
  await accountChanged()
}

export async function removePasskey(id: number, body: Proof) {
  await unwrap(api.DELETE('/api/auth/account/passkey/{id}/', { params: { path: { id } }, body }))
  await accountChanged()
}
