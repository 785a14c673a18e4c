/** The account of the session. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'
import type { components } from '../api/schema'

export type Account = components['schemas']['AccountEntry']

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => unwrap(api.GET('/api/auth/account/')),
})
