/** The second copy of the tokens, in IndexedDB: a service worker can read it, local storage it cannot. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { DATABASE } from '../storage-keys'
import type { Tokens } from './tokens'

interface TokenDatabase extends DBSchema {
  tokens: { key: 'current'; value: Tokens }
}

let database: Promise<IDBPDatabase<TokenDatabase>> | undefined

function open() {
  database ??= openDB<TokenDatabase>(DATABASE, 1, {
    upgrade: (db) => {
      db.createObjectStore('tokens')
    },
  })
  return database
}

/** Some private windows have no IndexedDB: local storage alone carries the session there. */
async function quietly(work: (db: IDBPDatabase<TokenDatabase>) => Promise<unknown>) {
  try {
    await work(await open())
  } catch {
    database = undefined
  }
}

export const copyTokens = (tokens: Tokens) => quietly((db) => db.put('tokens', tokens, 'current'))

export const clearTokenCopy = () => quietly((db) => db.clear('tokens'))
