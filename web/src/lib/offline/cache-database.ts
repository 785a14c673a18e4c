/** Cached answers of the server in their own database, one record per query. */
import { Database } from '../database'
import { OFFLINE_CACHE_DATABASE } from '../storage-keys'

export type CachedAnswer = {
  /** The query's hash. */
  id: string
  /** The account that received it. */
  account: string
  version: number
  key: readonly unknown[]
  /** As text, which browsers store three times as fast as objects: thousands of systems are megabytes. */
  json: string
  /** Arrival in browser time. */
  at: number
}

const database = new Database<CachedAnswer>(OFFLINE_CACHE_DATABASE, 'answers', 'id')

export const readCache = database.all

/** @param answers called when the database is open, because a logout may have happened before */
export const writeCache = (answers: () => { keep: CachedAnswer[]; forget: string[] }) =>
  database.change((store) => {
    const { keep, forget } = answers()
    for (const answer of keep) store.put(answer)
    for (const id of forget) store.delete(id)
  })

export const eraseCache = () => database.change((store) => store.clear())
