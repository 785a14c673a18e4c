/** The settings of one system or all, for pages that only display them. */
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
