/** A local database with one store, as promises. Everything is quiet: some private windows have no IndexedDB. */

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

  readonly all = () => this.work('readonly', (store) => done<T[]>(store.getAll()), [])

  /** @param changes asked for only when the database is open, for a logout may have come in between */
  readonly change = (changes: (store: IDBObjectStore) => void) =>
    this.work(
      'readwrite',
      (store) => {
        changes(store)
        return new Promise<void>((resolve, reject) => {
          store.transaction.oncomplete = () => resolve()
          store.transaction.onabort = () => reject(store.transaction.error)
        })
      },
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
