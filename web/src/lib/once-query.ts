/** Options for a query that is really a deed, such as using up a link: sent once, however often the page is drawn. */
export const once = {
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const
