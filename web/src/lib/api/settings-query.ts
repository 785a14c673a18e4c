/** How one system is set, or all of them, for pages that only tell of it. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from './client'

export const settingsOfQuery = (sn: string) =>
  queryOptions({
    queryKey: ['settings-of', sn],
    queryFn: async () => {
      const answer = await unwrap(api.GET('/api/auth/settings/', { params: { query: { sn } } }))
      return Array.isArray(answer) ? answer : [answer]
    },
  })
