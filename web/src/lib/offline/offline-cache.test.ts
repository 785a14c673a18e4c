import 'fake-indexeddb/auto'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { MAX_CACHED_CHARTS, MAX_ENTRIES_SAVED_LIVE, OFFLINE_SAVE_INTERVAL } from '../constants'
import { queryClient } from '../query-client'
import { logOut } from '../session/log-out'
import { STORAGE } from '../storage-keys'
import { server } from '../testing/server'
import { tokenOf } from '../testing/token'
import { readCache } from './cache-database'
import { clearOfflineCache, restoreOfflineCache, startOfflineCache } from './offline-cache'

const SYSTEMS = ['systems']
const systems = [{ sn: '8K2041773', phase: 1 }]
let stop: () => void

const beLoggedInAs = (account: string) => localStorage.setItem(STORAGE.access, tokenOf(account))
const known = () => queryClient.getQueryData(SYSTEMS)
const saved = async () => (await readCache()).map(({ key }) => key)

/** Simulates a new page: the memory is empty, the database is not. */
async function startAgain() {
  queryClient.clear()
  await restoreOfflineCache()
}

async function save() {
  vi.advanceTimersByTime(OFFLINE_SAVE_INTERVAL)
  vi.useRealTimers()
  await eventually(async () => expect(await readCache()).not.toEqual([]))
}

beforeEach(() => {
  server.use(http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  beLoggedInAs('A')
  stop = startOfflineCache()
})
afterEach(async () => {
  vi.useRealTimers()
  stop()
  queryClient.clear()
  await clearOfflineCache()
})

describe('the offline cache', () => {
  it('has the answers at the next start, with their times', async () => {
    const at = Date.now() - 60_000
    queryClient.setQueryData(SYSTEMS, systems, { updatedAt: at })
    await save()
    await startAgain()
    expect(known()).toEqual(systems)
    expect(queryClient.getQueryState(SYSTEMS)?.dataUpdatedAt).toBe(at)
  })

  it('is stale, however new it is', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    await startAgain()
    expect(queryClient.getQueryState(SYSTEMS)?.isInvalidated).toBe(true)
  })

  it('also saves answers from before it was started', async () => {
    stop()
    queryClient.setQueryData(SYSTEMS, systems)
    stop = startOfflineCache()
    await save()
    expect(await saved()).toEqual([SYSTEMS])
  })

  it('is saved when the page is left, without waiting', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    vi.useRealTimers()
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(async () => expect(await saved()).toEqual([SYSTEMS]))
  })

  it('saves a large fleet only when the page is left', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: MAX_ENTRIES_SAVED_LIVE + 1 }, (_, place) => [`BE${place}`, {}]),
    )
    const waits = vi.spyOn(globalThis, 'setTimeout')
    queryClient.setQueryData(['live', 'de'], { entries, skew: 0 })
    expect(waits).not.toHaveBeenCalledWith(expect.anything(), OFFLINE_SAVE_INTERVAL)
    queryClient.setQueryData(['live', 'de'], { entries: { BE0: {} }, skew: 0 })
    expect(waits).toHaveBeenCalledWith(expect.anything(), OFFLINE_SAVE_INTERVAL)
    vi.useRealTimers()
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(async () => expect(await saved()).toEqual([['live', 'de']]))
  })

  it('does not replace a faster answer', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    queryClient.setQueryData(SYSTEMS, [])
    await restoreOfflineCache()
    expect(known()).toEqual([])
  })

  it('is small', async () => {
    for (let at = 1; at <= MAX_CACHED_CHARTS + 5; at += 1)
      queryClient.setQueryData(['energy', 'A', at], { rows: [] }, { updatedAt: at })
    queryClient.setQueryData(['account'], { email: 'owner@example.com' })
    await save()
    expect(await saved()).toHaveLength(MAX_CACHED_CHARTS)
    expect(JSON.stringify(await readCache())).not.toContain('owner@example.com')
  })

  it('is never shown to another account, and does not stay for it', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    beLoggedInAs('B')
    await startAgain()
    expect(known()).toBeUndefined()
    expect(await readCache()).toEqual([])
  })

  it('is not saved under an account that has logged in in another tab', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    beLoggedInAs('B')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    queryClient.setQueryData(['live', 'de'], { entries: {}, skew: 0 })
    vi.advanceTimersByTime(OFFLINE_SAVE_INTERVAL)
    vi.useRealTimers()
    // The database processes requests in order, so the save would be complete.
    expect((await readCache()).map(({ account }) => account)).toEqual(['A'])
  })

  it('is empty after a logout, without a pending save', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    queryClient.setQueryData(['live', 'de'], { entries: {}, skew: 0 })
    await logOut()
    vi.advanceTimersByTime(OFFLINE_SAVE_INTERVAL)
    vi.useRealTimers()
    expect(await readCache()).toEqual([])
  })

  it('is not restored for a guest', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    localStorage.clear()
    await startAgain()
    expect(known()).toBeUndefined()
  })
})
