/** The systems that the account may see. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'
import { invalidate } from '../query-client'
import type { Installer } from './grants'

/** `installer` is only present if the caller may know it. */
export type System = components['schemas']['SystemEntry'] & { installer?: Installer | null }

export const systemsQuery = queryOptions({
  queryKey: ['systems'],
  queryFn: (): Promise<System[]> => unwrap(api.GET('/api/auth/usr_sn/')),
})

export async function nameEndUser(sn: string, body: { first_name: string; last_name: string }) {
  await unwrap(api.PATCH('/api/auth/system/{sn}/', { params: { path: { sn } }, body }))
  await invalidate(systemsQuery)
}

/** The mutation key of a replacement. */
export const REPLACEMENT = ['replacement']
