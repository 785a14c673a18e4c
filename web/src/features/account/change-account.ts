import { api, unwrap } from '@/lib/api/client'
import type { components } from '@/lib/api/schema'
import { accountQuery } from '@/lib/data/account'
import { queryClient } from '@/lib/query-client'

/** Sends the changes and caches the answer, the updated account. */
export async function changeAccount(body: components['schemas']['ChangeAccount']) {
  const account = await unwrap(api.PATCH('/api/auth/account/', { body }))
  queryClient.setQueryData(accountQuery.queryKey, account)
  return account
}
