/** Keeps the last answers of the server over a time without network, and brings them back at the next start. */
import type { Query } from '@tanstack/react-query'
import { ANSWERS_SAVED_EVERY } from '../constants'
import { queryClient } from '../query-client'
import { accountOf, readTokens } from '../session/tokens'
import { type Answer, eraseAnswers, readAnswers, writeAnswers } from './answers'
import { isLarge, isWorthKeeping, mayBeShown, surplusOf, VERSION } from './model'

/** Whom this tab has asked for. It is set by the first answer and changes only by a logout, whatever other tabs do. */
let owner: string | null = null
/** What the database holds, without the data. */
const kept = new Map<string, Pick<Answer, 'id' | 'key' | 'at'>>()
/** Queries with a new answer since the last save. */
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

const currentAccount = () => accountOf(readTokens().access)

/** Puts the kept answers where the pages look for them. They count as old: every page asks anew at once. */
export async function bringBackAnswers() {
  const account = currentAccount()
  if (account === null) return
  const found = await readAnswers()
  // Somebody else may have logged in while it waited.
  if (currentAccount() !== account) return
  const mine = found.filter((answer) => mayBeShown(answer, { account, now: Date.now() }))
  const others = found.filter((answer) => !mine.includes(answer)).map(({ id }) => id)
  if (others.length > 0) void writeAnswers(() => ({ keep: [], forget: others }))
  for (const { id, key, json, at } of mine) {
    kept.set(id, { id, key, at })
    // The server's own answer was faster.
    if (queryClient.getQueryData(key)) continue
    queryClient.setQueryData(key, JSON.parse(json), { updatedAt: at })
    queryClient.getQueryCache().get(id)?.invalidate()
  }
  if (mine.length > 0) owner = account
}

/** Saves what comes from now on, a few seconds after it came and when the page is left; what is large only then. */
export function keepAnswers(): () => void {
  // What was asked for ahead may have come; what was brought back is known.
  for (const query of queryClient.getQueryCache().getAll()) if (!query.state.isInvalidated) note(query)
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') note(event.query)
  })
  document.addEventListener('visibilitychange', saveWhenHidden)
  return () => {
    unsubscribe()
    document.removeEventListener('visibilitychange', saveWhenHidden)
    clearTimeout(timer)
    timer = undefined
  }
}

/** At the end of a session nothing of it stays. */
export async function forgetAnswers() {
  owner = null
  kept.clear()
  changed.clear()
  clearTimeout(timer)
  timer = undefined
  await eraseAnswers()
}

function note(query: Query) {
  if (!isWorthKeeping(query)) return
  owner ??= currentAccount()
  changed.add(query.queryHash)
  if (!isLarge(query)) timer ??= setTimeout(() => void save(), ANSWERS_SAVED_EVERY)
}

function saveWhenHidden() {
  if (document.visibilityState === 'hidden' && changed.size > 0) void save()
}

async function save() {
  clearTimeout(timer)
  timer = undefined
  await writeAnswers(() => {
    const account = owner
    // Logged out, or another tab has logged in as somebody else: what this tab holds is nobody's to keep.
    if (account === null || account !== currentAccount()) return { keep: [], forget: [] }
    const keep = [...changed].map((id) => answerOf(id, account)).filter((answer) => answer !== null)
    changed.clear()
    for (const { id, key, at } of keep) kept.set(id, { id, key, at })
    const forget = surplusOf(kept.values())
    for (const id of forget) kept.delete(id)
    return { keep, forget }
  })
}

/** Null: gone meanwhile. */
function answerOf(id: string, account: string): Answer | null {
  const query = queryClient.getQueryCache().get(id)
  if (!query?.state.data) return null
  const { queryKey: key, state } = query
  return { id, account, version: VERSION, key, json: JSON.stringify(state.data), at: state.dataUpdatedAt }
}
