import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from './api/errors'
import { LIVE_REFRESH } from './constants'

/** A refusal is final; a lost connection may recover. */
function worthRetrying(failures: number, error: unknown) {
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500
  return !refused && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Slightly less than the live refresh, so that a page that is reopened between two polls does not
      // refetch.
      staleTime: LIVE_REFRESH - 5_000,
      retry: worthRetrying,
      // Browsers are often wrong about being offline. A failed request shows an error; a paused one would
      // show a skeleton forever.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/**
 * What these queries have loaded is outdated; a shorter key stands for all that begin with it. Resolves when
 * what is on screen has been loaded again.
 */
export const invalidate = (...queries: readonly { queryKey: QueryKey }[]) =>
  Promise.all(queries.map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
