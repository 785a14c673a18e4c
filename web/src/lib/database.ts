/**
 * An IndexedDB database with one store, as promises. Failures are silent: some private windows have no
 * IndexedDB, and some browsers have one that never answers.
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

  /** @param keyPath the property with a record's key; without it the key is passed separately */
  constructor(
    private readonly name: string,
    private readonly store: string,
    private readonly keyPath: string | null = null,
  ) {}

  /** May never resolve: the caller sets a timeout. */
  readonly all = () => this.work('readonly', (store) => done<T[]>(store.getAll()), [])

  /**
   * Resolves after a timeout even if the database does not answer. @param changes called when the database is
   * open, because a logout may have happened before
   */
  readonly change = (changes: (store: IDBObjectStore) => void) =>
    withTimeout(
      this.work(
        'readwrite',
        (store) => {
          changes(store)
          // Commits explicitly: WebKit otherwise keeps the transaction open if its page is left, and blocks
          // the store for the next page.
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
