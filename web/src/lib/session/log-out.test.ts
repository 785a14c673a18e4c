import 'fake-indexeddb/auto'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { Database } from '../database'
import { queryClient } from '../query-client'
import { STORAGE, TOKEN_DATABASE } from '../storage-keys'
import { server } from '../testing/server'
import { forceLogOut, logOut, logOutAfter } from './log-out'
import { readLogoutNotice } from './logout-notice'
import { page } from './page'
import { startLimitedSession, startSession, useSession } from './session-store'
import { isAuthenticated } from './tokens'

const tokens = { access: 'access', refresh: 'refresh', role: 'electrician' } as const
const bearers: (string | null)[] = []
const refreshes: (string | null)[] = []

beforeEach(async () => {
  bearers.length = 0
  refreshes.length = 0
  server.use(
    http.post('*/api/auth/logout/', async ({ request }) => {
      bearers.push(request.headers.get('Authorization'))
      refreshes.push(new URLSearchParams(await request.text()).get('refresh'))
      return new HttpResponse(null, { status: 204 })
    }),
  )
  await startSession(tokens)
})

const tokenCopy = async () => (await new Database(TOKEN_DATABASE, 'tokens').all())[0]

describe('logging out', () => {
  it('removes the tokens from local storage and the database', async () => {
    expect(await tokenCopy()).toEqual(tokens)
    await logOut()
    expect(isAuthenticated()).toBe(false)
    expect(localStorage.getItem(STORAGE.refresh)).toBeNull()
    expect(await tokenCopy()).toBeUndefined()
  })

  it('removes cached settings and everything that was loaded', async () => {
    for (const key of ['settings_8K2041773', 'settings_ABCDEF', STORAGE.updateStarted, STORAGE.updates])
      localStorage.setItem(key, 'x')
    sessionStorage.setItem('anything', 'x')
    queryClient.setQueryData(['systems'], ['8K2041773'])
    await logOut()
    expect(Object.keys(localStorage)).toEqual([STORAGE.role])
    expect(sessionStorage).toHaveLength(0)
    expect(queryClient.getQueryData(['systems'])).toBeUndefined()
  })

  it('keeps language and theme, which belong to the browser', async () => {
    localStorage.setItem(STORAGE.language, 'hr')
    localStorage.setItem(STORAGE.darkMode, 'false')
    await logOut()
    expect(localStorage.getItem(STORAGE.language)).toBe('hr')
    expect(localStorage.getItem(STORAGE.darkMode)).toBe('false')
  })

  it('resets the role', async () => {
    await logOut()
    expect(localStorage.getItem(STORAGE.role)).toBe('user')
    expect(useSession.getState().role).toBe('user')
  })

  it('notifies the server without waiting for the answer', async () => {
    await logOut()
    await eventually(() => expect(refreshes).toEqual(['refresh']))
    expect(bearers).toEqual(['Bearer access'])
  })

  it('ends the session by the refresh token if there is no access token', async () => {
    localStorage.removeItem(STORAGE.access)
    await logOut()
    await eventually(() => expect(refreshes).toEqual(['refresh']))
  })

  it('ends a limited session too', async () => {
    await logOut()
    startLimitedSession('limited')
    expect(isAuthenticated()).toBe(false)
    await logOut()
    expect(useSession.getState().limitedAccess).toBeNull()
    await eventually(() => expect(bearers).toEqual(['Bearer access', 'Bearer limited']))
  })

  it('deletes cached answers, and keeps the program', async () => {
    const names = new Set(['workbox-precache-v2', 'answers'])
    vi.stubGlobal('caches', {
      keys: async () => [...names],
      delete: async (name: string) => names.delete(name),
    })
    await logOut()
    expect([...names]).toEqual(['workbox-precache-v2'])
    vi.unstubAllGlobals()
  })
})

describe('ending sessions on the server', () => {
  it('logs out here, and ignores refusals meanwhile', async () => {
    const goTo = vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
    await logOutAfter(() => forceLogOut('session_ended'))
    expect(isAuthenticated()).toBe(false)
    expect(goTo).not.toHaveBeenCalled()
    expect(readLogoutNotice()).toBeNull()
  })

  it('that fails keeps this session, and the next refusal counts', async () => {
    const goTo = vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
    await expect(logOutAfter(() => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
    expect(isAuthenticated()).toBe(true)
    await forceLogOut('session_ended')
    expect(goTo).toHaveBeenCalledWith('/logout')
  })
})

describe('a forced logout', () => {
  it('keeps its reason for the login page', async () => {
    const goTo = vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
    await forceLogOut('no_systems')
    expect(goTo).toHaveBeenCalledWith('/logout')
    expect(isAuthenticated()).toBe(false)
    await logOut() // as the route /logout does
    expect(readLogoutNotice()).toBe('no_systems')
  })
})
