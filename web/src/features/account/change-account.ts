import { api, unwrap } from '@/lib/api/client'
import { accountQuery } from '@/lib/api/queries'
import type { components } from '@/lib/api/schema'
import { queryClient } from '@/lib/query-client'

/** Changes what is given and keeps the answer, which is the account as it is now. */
export async function changeAccount(body: components['schemas']['ChangeAccount']) {
  const account = await unwrap(api.PATCH('/api/auth/account/', { body }))
  queryClient.setQueryData(accountQuery.queryKey, account)
  return account
}
