/** The kept answers of the server, in a local database of their own: one record per question. */
import { Database } from '../database'
import { ANSWERS_DATABASE } from '../storage-keys'

export type Answer = {
  /** The query's hash. */
  id: string
  /** Whose answer it is. */
  account: string
  version: number
  key: readonly unknown[]
  /** As text, which a browser reads and writes in a third of the time: thousands of systems are megabytes. */
  json: string
  /** When it came, on this browser's clock. */
  at: number
}

const database = new Database<Answer>(ANSWERS_DATABASE, 'answers', 'id')

export const readAnswers = database.all

/** @param answers asked for only when the database is open, for a logout may have come in between */
export const writeAnswers = (answers: () => { keep: Answer[]; forget: string[] }) =>
  database.change((store) => {
    const { keep, forget } = answers()
    for (const answer of keep) store.put(answer)
    for (const id of forget) store.delete(id)
  })

export const eraseAnswers = () => database.change((store) => store.clear())
