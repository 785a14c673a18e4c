/** Asking owners for access: what is sent, and what a form must hold. */
import { api, unwrap } from '@/lib/api/client'
import { grantsQuery, type InstallerScope } from '@/lib/api/grants'
import { queryClient } from '@/lib/query-client'

/** A system, and what is wanted there. */
export type Wish = { sn: string; scope: InstallerScope }

/** As long as the server takes. */
export const MESSAGE_MAX = 300

/** One request for each scope; the server's answer is the same for each. */
export async function askForAccess(wishes: readonly Wish[], message: string): Promise<string> {
  const scopes = [...new Set(wishes.map(({ scope }) => scope))]
  let text = ''
  for (const scope of scopes) {
    const sn = wishes.filter((wish) => wish.scope === scope).map(({ sn }) => sn)
    const body = { sn: sn.join(), scope, message: message.trim() }
    const answer = await unwrap(api.POST('/api/auth/grant/request/', { body }))
    text = answer.text
  }
  await queryClient.invalidateQueries({ queryKey: grantsQuery.queryKey })
  return text
}
