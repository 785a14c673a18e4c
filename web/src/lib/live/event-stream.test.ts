import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { isAuthenticated } from '../session/tokens'
import { STORAGE } from '../storage-keys'
import { stubLocks } from '../testing/memory-locks'
import { server } from '../testing/server'
import { tokenOf } from '../testing/token'
import { backOff, follow } from './event-stream'
import type { StreamEvent } from './sse-parser'

// Spied on to count calls; the implementation stays.
vi.mock('../session/tokens', { spy: true })

/** A stream that sends this and ends. */
const answer = (text: string) =>
  new HttpResponse(new Blob([text]).stream(), { headers: { 'Content-Type': 'text/event-stream' } })

const GERMAN = { locale: 'de' } as const

let stop: AbortController
beforeEach(() => {
  localStorage.setItem(STORAGE.access, 'ACCESS')
  stop = new AbortController()
})
afterEach(() => stop.abort())

describe('following the stream', () => {
  it('sends the token, and after a reconnect the last event’s id', async () => {
    const asked: (string | null)[][] = []
    const heard: StreamEvent[] = []
    server.use(
      http.get('*/api/auth/stream/', ({ request }) => {
        asked.push([request.headers.get('Authorization'), request.headers.get('Last-Event-ID')])
        return answer(`id: ${asked.length}\nevent: data\ndata: {}\n\n`)
      }),
    )
    void follow({ ...GERMAN, signal: stop.signal, onEvent: (event) => heard.push(event) })
    await eventually(() => expect(heard).toHaveLength(2))
    expect(asked).toEqual([
      ['Bearer ACCESS', null],
      ['Bearer ACCESS', '1'],
    ])
  })

  it('begins where an answer has ended', async () => {
    let asked: string | null = null
    server.use(
      http.get('*/api/auth/stream/', ({ request }) => {
        asked = request.headers.get('Last-Event-ID')
        return answer('')
      }),
    )
    void follow({ ...GERMAN, signal: stop.signal, since: 1_000, onEvent: () => undefined })
    await eventually(() => expect(asked).toBe('1000'))
  })

  it('continues after no answer and after a refusal', async () => {
    const heard = vi.fn()
    let asked = 0
    server.use(
      http.get('*/api/auth/stream/', () => {
        asked += 1
        if (asked === 1) return HttpResponse.error()
        if (asked === 2)
          return HttpResponse.json({ detail: 'too many', code: 'too_many_streams' }, { status: 429 })
        return answer('data: x\n\n')
      }),
    )
    vi.spyOn(Math, 'random').mockReturnValue(-0.98)
    void follow({ ...GERMAN, signal: stop.signal, onEvent: heard })
    await eventually(() => expect(heard).toHaveBeenCalled())
    expect(asked).toBeGreaterThanOrEqual(3)
  })

  it('runs in one tab at a time, so that ten tabs do not use up the browser’s connections', async () => {
    stubLocks()
    let open = 0
    server.use(
      http.get('*/api/auth/stream/', () => {
        open += 1
        return new HttpResponse(new ReadableStream())
      }),
    )
    const first = new AbortController()
    void follow({ ...GERMAN, signal: first.signal, onEvent: () => undefined })
    void follow({ ...GERMAN, signal: stop.signal, onEvent: () => undefined })
    await eventually(() => expect(open).toBe(1))
    first.abort()
    await eventually(() => expect(open).toBe(2))
    vi.unstubAllGlobals()
  })

  it('is passed on to another tab of the same account and language', async () => {
    stubLocks()
    let say: (text: string) => void = () => undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        say = (text) => controller.enqueue(new TextEncoder().encode(text))
      },
    })
    server.use(http.get('*/api/auth/stream/', () => new HttpResponse(body)))
    const heard: Record<string, string[]> = { holder: [], other: [], polish: [] }
    const tab = (name: string, locale: 'de' | 'pl') =>
      void follow({
        signal: stop.signal,
        locale,
        onEvent: ({ data }) => heard[name]?.push(data),
        onOpen: () => heard[name]?.push('opened'),
      })
    tab('holder', 'de')
    tab('other', 'de')
    tab('polish', 'pl')
    await eventually(() => expect(heard.other).toEqual(['opened']))
    say('data: news\n\n')
    await eventually(() => expect(heard.other).toEqual(['opened', 'news']))
    expect(heard).toMatchObject({ holder: ['opened', 'news'], polish: [] })
    vi.unstubAllGlobals()
  })

  it.each([
    ['after a logout', () => localStorage.removeItem(STORAGE.access)],
    ['for somebody else', () => localStorage.setItem(STORAGE.access, tokenOf('B'))],
  ])('receives nothing %s', async (_name, end) => {
    localStorage.setItem(STORAGE.access, tokenOf('A'))
    let say: (text: string) => void = () => undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        say = (text) => controller.enqueue(new TextEncoder().encode(text))
      },
    })
    server.use(http.get('*/api/auth/stream/', () => new HttpResponse(body)))
    const heard: string[] = []
    void follow({ ...GERMAN, signal: stop.signal, onEvent: ({ data }) => heard.push(data) })
    say('data: before\n\n')
    await eventually(() => expect(heard).toEqual(['before']))
    end()
    vi.mocked(isAuthenticated).mockClear()
    say('data: after\n\n')
    await eventually(() => expect(isAuthenticated).toHaveBeenCalled())
    expect(heard).toEqual(['before'])
  })

  it('ends with its signal', async () => {
    server.use(http.get('*/api/auth/stream/', () => answer('')))
    const done = follow({ ...GERMAN, signal: stop.signal, onEvent: () => undefined })
    stop.abort()
    await expect(done).resolves.toBeUndefined()
  })

  it('waits longer after each failure, up to half a minute', () => {
    expect([0, 1, 2, 10].map((failures) => backOff(failures, 1))).toEqual([1_000, 2_000, 4_000, 30_000])
    expect(backOff(1, 0)).toBe(1_000)
  })
})
