import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api/errors'
import { LIVE_REFRESH } from './constants'

/** A refusal does not become a yes by asking again; a broken line may. */
function worthRetrying(failures: number, error: unknown) {
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500
  return !refused && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Slightly under the live refresh, so that a page that is opened again between two rounds does not ask twice.
      staleTime: LIVE_REFRESH - 5_000,
      retry: worthRetrying,
      // Browsers are often wrong about being online. Asking fails and says so; waiting would be a skeleton for ever.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
