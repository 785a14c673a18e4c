import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Database } from './database'

afterEach(() => vi.unstubAllGlobals())

describe('a local database', () => {
  it('has what was put into it, over two openings', async () => {
    await new Database('a', 'things').change((store) => store.put({ name: 'lamp' }, 1))
    expect(await new Database('a', 'things').all()).toEqual([{ name: 'lamp' }])
  })

  it('finds records by a key of their own', async () => {
    const database = new Database<{ id: string; n: number }>('b', 'things', 'id')
    await database.change((store) => store.put({ id: 'x', n: 1 }))
    await database.change((store) => store.put({ id: 'x', n: 2 }))
    expect(await database.all()).toEqual([{ id: 'x', n: 2 }])
    await database.change((store) => store.clear())
    expect(await database.all()).toEqual([])
  })

  it('changes nothing at all when a part of the change fails', async () => {
    const database = new Database<{ id: string }>('c', 'things', 'id')
    await database.change((store) => {
      store.put({ id: 'x' })
      store.add({ id: 'x' })
    })
    expect(await database.all()).toEqual([])
  })

  it('is empty and quiet where the browser has none', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const database = new Database('d', 'things')
    await database.change((store) => store.put(1, 1))
    expect(await database.all()).toEqual([])
  })
})
