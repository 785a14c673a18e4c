import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stubLocks } from '../testing/memory-locks'
import { server } from '../testing/server'
import { refreshSession } from './refresh'
import { readRole, readTokens, storeTokens } from './tokens'

const PATH = '*/api/auth/token/refresh/'
const old = { access: 'old-access', refresh: 'old-refresh', role: 'user' } as const
const fresh = { access: 'new-access', refresh: 'new-refresh', role: 'electrician' } as const

/** Answers every refresh and counts them. */
function answer(reply: () => Response) {
  const bodies: string[] = []
  server.use(
    http.post(PATH, async ({ request }) => {
      bodies.push(await request.text())
      return reply()
    }),
  )
  return bodies
}

beforeEach(() => storeTokens(old))
afterEach(() => vi.unstubAllGlobals())

describe('a token refresh', () => {
  it('sends the refresh token as a form and stores the answer', async () => {
    const bodies = answer(() => HttpResponse.json(fresh))
    expect(await refreshSession(old.access)).toBe('renewed')
    expect(bodies).toEqual(['refresh=old-refresh'])
    expect(readTokens()).toEqual({ access: fresh.access, refresh: fresh.refresh })
    expect(readRole()).toBe('electrician')
  })

  it('runs once for several refused calls', async () => {
    const bodies = answer(() => HttpResponse.json(fresh))
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => refreshSession(old.access)))
    expect(new Set(outcomes)).toEqual(new Set(['renewed']))
    expect(bodies).toHaveLength(1)
  })

  it('takes the tokens that another tab has renewed while this one waited for the lock', async () => {
    stubLocks()
    const bodies = answer(() => HttpResponse.json(fresh))
    const otherTab = navigator.locks.request('suncellar:refresh', () => storeTokens(fresh))
    const outcome = refreshSession(old.access)
    await otherTab
    expect(await outcome).toBe('renewed')
    expect(bodies).toHaveLength(0)
  })

  it('skips the lock if a sleeping tab does not release it', async () => {
    answer(() => HttpResponse.json(fresh))
    const request = () => Promise.reject(new DOMException('', 'TimeoutError'))
    vi.stubGlobal('navigator', Object.create(navigator, { locks: { value: { request } } }))
    expect(await refreshSession(old.access)).toBe('renewed')
  })

  it('times out', async () => {
    server.use(http.post(PATH, () => new Promise<Response>(() => undefined)))
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())
    expect(await refreshSession(old.access)).toBe('unreachable')
    expect(readTokens()).toEqual({ access: old.access, refresh: old.refresh })
  })

  it('does not repeat for a refusal that arrives late', async () => {
    await storeTokens(fresh)
    const bodies = answer(() => HttpResponse.json(fresh))
    expect(await refreshSession(old.access)).toBe('renewed')
    expect(bodies).toHaveLength(0)
  })

  it('is expired if the server refuses', async () => {
    answer(() => HttpResponse.json({ detail: 'x', code: 'refresh_invalid' }, { status: 401 }))
    expect(await refreshSession(old.access)).toBe('expired')
  })

  it('is expired without a refresh token', async () => {
    localStorage.clear()
    expect(await refreshSession(null)).toBe('expired')
  })

  it.each([
    ['the line is broken', () => HttpResponse.error()],
    ['the server is busy', () => HttpResponse.json({}, { status: 503 })],
    ['there were too many attempts', () => HttpResponse.json({}, { status: 429 })],
  ])('keeps the tokens when %s', async (_, reply) => {
    answer(reply)
    expect(await refreshSession(old.access)).toBe('unreachable')
    expect(readTokens()).toEqual({ access: old.access, refresh: old.refresh })
  })

  it.each([
    ['no JSON', () => new HttpResponse('<html>')],
    ['no tokens', () => HttpResponse.json({ access: '' })],
    ['an unknown role', () => HttpResponse.json({ ...fresh, role: 'admin' })],
  ])('calls a reply with %s invalid', async (_, reply) => {
    answer(reply)
    expect(await refreshSession(old.access)).toBe('invalid_reply')
  })

  it('does not undo a logout during the request', async () => {
    answer(() => {
      localStorage.clear()
      return HttpResponse.json(fresh)
    })
    expect(await refreshSession(old.access)).toBe('expired')
    expect(readTokens()).toEqual({ access: null, refresh: null })
  })
})
