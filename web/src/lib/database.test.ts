import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LOCAL_STORAGE_TIMEOUT } from './constants'
import { Database } from './database'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a local database', () => {
  it('keeps records over two openings', async () => {
    await new Database('a', 'things').change((store) => store.put({ name: 'lamp' }, 1))
    expect(await new Database('a', 'things').all()).toEqual([{ name: 'lamp' }])
  })

  it('finds records by their own key', async () => {
    const database = new Database<{ id: string; n: number }>('b', 'things', 'id')
    await database.change((store) => store.put({ id: 'x', n: 1 }))
    await database.change((store) => store.put({ id: 'x', n: 2 }))
    expect(await database.all()).toEqual([{ id: 'x', n: 2 }])
    await database.change((store) => store.clear())
    expect(await database.all()).toEqual([])
  })

  it('changes nothing if a part of the change fails', async () => {
    const database = new Database<{ id: string }>('c', 'things', 'id')
    await database.change((store) => {
      store.put({ id: 'x' })
      store.add({ id: 'x' })
    })
    expect(await database.all()).toEqual([])
  })

  it('commits a change without waiting for its page, which may be left meanwhile', async () => {
    const commit = vi.spyOn(IDBTransaction.prototype, 'commit')
    await new Database('e', 'things').change((store) => store.put(1, 1))
    expect(commit).toHaveBeenCalledTimes(1)
  })

  it('that never answers does not block a change', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('indexedDB', { open: () => ({}) })
    const changed = vi.fn()
    const change = new Database('f', 'things').change((store) => store.put(1, 1)).then(changed)
    await vi.advanceTimersByTimeAsync(LOCAL_STORAGE_TIMEOUT - 1)
    expect(changed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await change
    expect(changed).toHaveBeenCalledTimes(1)
  })

  it('is empty and silent if the browser has none', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const database = new Database('d', 'things')
    await database.change((store) => store.put(1, 1))
    expect(await database.all()).toEqual([])
  })
})
