/** The settings of systems, for pages that only display them. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../api/client'

/** Whoever shows settings of any system. */
export const allSettings = { queryKey: ['settings'] } as const

/** @param serials one system, all (`-1`), or several separated by commas */
export async function readSettings(serials: string) {
  const answer = await unwrap(api.GET('/api/auth/settings/', { params: { query: { sn: serials } } }))
  return Array.isArray(answer) ? answer : [answer]
}

export const settingsOfQuery = (serials: string) =>
  queryOptions({
    queryKey: [...allSettings.queryKey, 'of', serials],
    queryFn: () => readSettings(serials),
  })
