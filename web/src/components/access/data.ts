/** Requests access from owners. */
import { api, unwrap } from '@/lib/api/client'
import { grantsQuery, type InstallerScope } from '@/lib/data/grants'
import { invalidate } from '@/lib/query-client'

/** A system and the scope that is requested for it. */
export type AccessRequest = { sn: string; scope: InstallerScope }

/** The server's limit. */
export const MESSAGE_MAX = 300

/** Sends one request for each scope. The server's answer is the same for each of them. */
export async function requestAccess(requests: readonly AccessRequest[], message: string): Promise<string> {
  const scopes = [...new Set(requests.map(({ scope }) => scope))]
  let text = ''
  for (const scope of scopes) {
    const sn = requests.filter((request) => request.scope === scope).map(({ sn }) => sn)
    const body = { sn: sn.join(), scope, message: message.trim() }
    const answer = await unwrap(api.POST('/api/auth/grant/request/', { body }))
    text = answer.text
  }
  await invalidate(grantsQuery)
  return text
}
