/**
 * A local database with one store, as promises. Everything is quiet: some private windows have no IndexedDB, and some
 * browsers have one that never answers.
 */
import { LOCAL_STORAGE_TIMEOUT } from './constants'
import { withTimeout } from './with-timeout'

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

export class Database<T> {
  private connection: Promise<IDBDatabase> | undefined

  /** @param keyPath where a record keeps its key; without one the key is given with the record */
  constructor(
    private readonly name: string,
    private readonly store: string,
    private readonly keyPath: string | null = null,
  ) {}

  /** May take for ever: whoever waits for it sets a limit. */
  readonly all = () => this.work('readonly', (store) => done<T[]>(store.getAll()), [])

  /**
   * Ends after a while even when the database does not answer.
   * @param changes asked for only when the database is open, for a logout may have come in between
   */
  readonly change = (changes: (store: IDBObjectStore) => void) =>
    withTimeout(
      this.work(
        'readwrite',
        (store) => {
          changes(store)
          // Otherwise the transaction waits for its page to commit it. WebKit keeps it open when that page is left
          // meanwhile, and the next page never gets into the store.
          store.transaction.commit()
          return new Promise<void>((resolve, reject) => {
            store.transaction.oncomplete = () => resolve()
            store.transaction.onabort = () => reject(store.transaction.error)
          })
        },
        undefined,
      ),
      LOCAL_STORAGE_TIMEOUT,
      undefined,
    )

  private open() {
    const request = indexedDB.open(this.name, 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore(this.store, { keyPath: this.keyPath })
    }
    return done(request)
  }

  private async work<R>(
    mode: IDBTransactionMode,
    deed: (store: IDBObjectStore) => Promise<R>,
    otherwise: R,
  ): Promise<R> {
    try {
      this.connection ??= this.open()
      const database = await this.connection
      return await deed(database.transaction(this.store, mode).objectStore(this.store))
    } catch {
      this.connection = undefined
      return otherwise
    }
  }
}
