import 'fake-indexeddb/auto'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { ANSWERS_SAVED_EVERY, CHARTS_KEPT, ENTRIES_SAVED_AT_ONCE } from '../constants'
import { queryClient } from '../query-client'
import { logOut } from '../session/log-out'
import { STORAGE } from '../storage-keys'
import { server } from '../testing/server'
import { tokenOf } from '../testing/token'
import { readAnswers } from './answers'
import { bringBackAnswers, forgetAnswers, keepAnswers } from './keep-answers'

const SYSTEMS = ['systems']
const systems = [{ sn: '8K2041773', phase: 1 }]
let stop: () => void

const beLoggedInAs = (account: string) => localStorage.setItem(STORAGE.access, tokenOf(account))
const known = () => queryClient.getQueryData(SYSTEMS)
const saved = async () => (await readAnswers()).map(({ key }) => key)

/** The page is opened anew: its memory is empty, the database is not. */
async function startAgain() {
  queryClient.clear()
  await bringBackAnswers()
}

async function save() {
  vi.advanceTimersByTime(ANSWERS_SAVED_EVERY)
  vi.useRealTimers()
  await eventually(async () => expect(await readAnswers()).not.toEqual([]))
}

beforeEach(() => {
  server.use(http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  beLoggedInAs('A')
  stop = keepAnswers()
})
afterEach(async () => {
  vi.useRealTimers()
  stop()
  queryClient.clear()
  await forgetAnswers()
})

describe('kept answers', () => {
  it('are there at the next start, with the time at which they came', async () => {
    const at = Date.now() - 60_000
    queryClient.setQueryData(SYSTEMS, systems, { updatedAt: at })
    await save()
    await startAgain()
    expect(known()).toEqual(systems)
    expect(queryClient.getQueryState(SYSTEMS)?.dataUpdatedAt).toBe(at)
  })

  it('count as old, however young they are', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    await startAgain()
    expect(queryClient.getQueryState(SYSTEMS)?.isInvalidated).toBe(true)
  })

  it('are saved too when they came before anybody listened', async () => {
    stop()
    queryClient.setQueryData(SYSTEMS, systems)
    stop = keepAnswers()
    await save()
    expect(await saved()).toEqual([SYSTEMS])
  })

  it('are saved when the page is left, without waiting', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    vi.useRealTimers()
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(async () => expect(await saved()).toEqual([SYSTEMS]))
  })

  it('of a large fleet wait until the page is left', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: ENTRIES_SAVED_AT_ONCE + 1 }, (_, place) => [`BE${place}`, {}]),
    )
    const waits = vi.spyOn(globalThis, 'setTimeout')
    queryClient.setQueryData(['live', 'de'], { entries, skew: 0 })
    expect(waits).not.toHaveBeenCalledWith(expect.anything(), ANSWERS_SAVED_EVERY)
    queryClient.setQueryData(['live', 'de'], { entries: { BE0: {} }, skew: 0 })
    expect(waits).toHaveBeenCalledWith(expect.anything(), ANSWERS_SAVED_EVERY)
    vi.useRealTimers()
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await eventually(async () => expect(await saved()).toEqual([['live', 'de']]))
  })

  it('do not replace an answer that was faster', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    queryClient.setQueryData(SYSTEMS, [])
    await bringBackAnswers()
    expect(known()).toEqual([])
  })

  it('are few', async () => {
    for (let at = 1; at <= CHARTS_KEPT + 5; at += 1)
      queryClient.setQueryData(['energy', 'A', at], { rows: [] }, { updatedAt: at })
    queryClient.setQueryData(['account'], { email: 'owner@example.com' })
    await save()
    expect(await saved()).toHaveLength(CHARTS_KEPT)
    expect(JSON.stringify(await readAnswers())).not.toContain('owner@example.com')
  })

  it('are never shown to another account, and do not stay for it', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    beLoggedInAs('B')
    await startAgain()
    expect(known()).toBeUndefined()
    expect(await readAnswers()).toEqual([])
  })

  it('are not saved under the name of whoever has logged in in another tab', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    beLoggedInAs('B')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    queryClient.setQueryData(['live', 'de'], { entries: {}, skew: 0 })
    vi.advanceTimersByTime(ANSWERS_SAVED_EVERY)
    vi.useRealTimers()
    // The database answers in the order of the questions: the save would be through.
    expect((await readAnswers()).map(({ account }) => account)).toEqual(['A'])
  })

  it('are gone after a logout, and what was still to be saved is not', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    queryClient.setQueryData(['live', 'de'], { entries: {}, skew: 0 })
    await logOut()
    vi.advanceTimersByTime(ANSWERS_SAVED_EVERY)
    vi.useRealTimers()
    expect(await readAnswers()).toEqual([])
  })

  it('are not there for a guest', async () => {
    queryClient.setQueryData(SYSTEMS, systems)
    await save()
    localStorage.clear()
    await startAgain()
    expect(known()).toBeUndefined()
  })
})
