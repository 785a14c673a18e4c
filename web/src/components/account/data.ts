/** A new e-mail address, confirmed by its mailed link. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/lib/api/client'
import { accountQuery } from '@/lib/data/account'
import { once } from '@/lib/once-query'
import { invalidate } from '@/lib/query-client'

export const emailConfirmationQuery = (token: string | null) =>
  queryOptions({
    ...once,
    queryKey: ['email-confirmation', token],
    queryFn: async () => {
      const answer = await unwrap(
        api.POST('/api/auth/account/email/confirm/', { body: { token: token ?? '' } }),
      )
      void invalidate(accountQuery)
      return answer
    },
    enabled: token !== null,
  })
