/** The offline cache: saves the server's last answers and restores them at the next start. */
import type { Query } from '@tanstack/react-query'
import { OFFLINE_SAVE_INTERVAL } from '../constants'
import { queryClient } from '../query-client'
import { accountOf, readTokens } from '../session/tokens'
import { type CachedAnswer, eraseCache, readCache, writeCache } from './cache-database'
import { isCacheable, isLarge, isValidFor, surplusOf, VERSION } from './model'

/**
 * The account of this tab's answers, set by the first one. Only a logout changes it, whatever other tabs do.
 */
let owner: string | null = null
/** The records in the database, without their data. */
const cached = new Map<string, Pick<CachedAnswer, 'id' | 'key' | 'at'>>()
/** Queries with a new answer since the last save. */
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

const currentAccount = () => accountOf(readTokens().access)

/** Restores cached answers into the query client. They are stale, so every page refetches. */
export async function restoreOfflineCache() {
  const account = currentAccount()
  if (account === null) return
  const found = await readCache()
  // Another account may have logged in meanwhile.
  if (currentAccount() !== account) return
  const mine = found.filter((answer) => isValidFor(answer, { account, now: Date.now() }))
  const others = found.filter((answer) => !mine.includes(answer)).map(({ id }) => id)
  if (others.length > 0) void writeCache(() => ({ keep: [], forget: others }))
  for (const { id, key, json, at } of mine) {
    cached.set(id, { id, key, at })
    // The server's answer was faster.
    if (queryClient.getQueryData(key)) continue
    queryClient.setQueryData(key, JSON.parse(json), { updatedAt: at })
    queryClient.getQueryCache().get(id)?.invalidate()
  }
  if (mine.length > 0) owner = account
}

/** Starts saving: a few seconds after each answer and when the page is left; large answers only then. */
export function startOfflineCache(): () => void {
  // Includes prefetched answers; restored ones are known already.
  for (const query of queryClient.getQueryCache().getAll()) if (!query.state.isInvalidated) markChanged(query)
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') markChanged(event.query)
  })
  document.addEventListener('visibilitychange', saveWhenHidden)
  return () => {
    unsubscribe()
    document.removeEventListener('visibilitychange', saveWhenHidden)
    clearTimeout(timer)
    timer = undefined
  }
}

/** Deletes everything, at the end of a session. */
export async function clearOfflineCache() {
  owner = null
  cached.clear()
  changed.clear()
  clearTimeout(timer)
  timer = undefined
  await eraseCache()
}

function markChanged(query: Query) {
  if (!isCacheable(query)) return
  owner ??= currentAccount()
  changed.add(query.queryHash)
  if (!isLarge(query)) timer ??= setTimeout(() => void save(), OFFLINE_SAVE_INTERVAL)
}

function saveWhenHidden() {
  if (document.visibilityState === 'hidden' && changed.size > 0) void save()
}

async function save() {
  clearTimeout(timer)
  timer = undefined
  await writeCache(() => {
    const account = owner
    // After a logout, or a login of another account in another tab, this tab's data must not be saved.
    if (account === null || account !== currentAccount()) return { keep: [], forget: [] }
    const keep = [...changed].map((id) => answerOf(id, account)).filter((answer) => answer !== null)
    changed.clear()
    for (const { id, key, at } of keep) cached.set(id, { id, key, at })
    const forget = surplusOf(cached.values())
    for (const id of forget) cached.delete(id)
    return { keep, forget }
  })
}

/** Null: the query is gone. */
function answerOf(id: string, account: string): CachedAnswer | null {
  const query = queryClient.getQueryCache().get(id)
  if (!query?.state.data) return null
  const { queryKey: key, state } = query
  return { id, account, version: VERSION, key, json: JSON.stringify(state.data), at: state.dataUpdatedAt }
}
