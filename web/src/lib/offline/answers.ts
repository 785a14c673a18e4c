/** The kept answers of the server, in a local database of their own: one record per question. */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { ANSWERS_DATABASE } from '../storage-keys'

export type Answer = {
  /** The query's hash. */
  id: string
  /** Whose answer it is. */
  account: string
  version: number
  key: readonly unknown[]
  data: unknown
  /** When it came, on this browser's clock. */
  at: number
}

interface AnswerDatabase extends DBSchema {
  answers: { key: string; value: Answer }
}

let database: Promise<IDBPDatabase<AnswerDatabase>> | undefined

function open() {
  database ??= openDB<AnswerDatabase>(ANSWERS_DATABASE, 1, {
    upgrade: (db) => {
      db.createObjectStore('answers', { keyPath: 'id' })
    },
  })
  return database
}

/** Some private windows have no IndexedDB: there the portal knows nothing without a network, and works otherwise. */
async function quietly<T>(work: (db: IDBPDatabase<AnswerDatabase>) => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work(await open())
  } catch {
    database = undefined
    return otherwise
  }
}

export const readAnswers = () => quietly<Answer[]>((db) => db.getAll('answers'), [])

/** @param answers asked for only when the database is open, for a logout may have come in between */
export const writeAnswers = (answers: () => { keep: Answer[]; forget: string[] }) =>
  quietly(async (db) => {
    const { keep, forget } = answers()
    const { store, done } = db.transaction('answers', 'readwrite')
    await Promise.all([
      ...keep.map((answer) => store.put(answer)),
      ...forget.map((id) => store.delete(id)),
      done,
    ])
  }, undefined)

export const eraseAnswers = () => quietly((db) => db.clear('answers'), undefined)
