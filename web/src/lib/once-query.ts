/** Options for a query with a side effect, such as using up a link: sent once, independent of rendering. */
export const once = {
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const
