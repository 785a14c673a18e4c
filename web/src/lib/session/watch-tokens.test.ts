import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '@/lib/testing/eventually'
import { STORAGE } from '../storage-keys'
import { server } from '../testing/server'
import { readLogoutNotice } from './logout-notice'
import { page } from './page'
import { readTokens, storeTokens } from './tokens'
import { resumeSession, watchTokens } from './watch-tokens'

const fresh = { access: 'new-access', refresh: 'new-refresh', role: 'user' } as const
let stop: () => void
let goTo: ReturnType<typeof vi.spyOn>

/** Simulates another tab that removes a key. */
function removedElsewhere(key: string) {
  const oldValue = localStorage.getItem(key)
  localStorage.removeItem(key)
  dispatchEvent(Object.assign(new Event('storage'), { key, oldValue, newValue: null }))
}

beforeEach(async () => {
  goTo = vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
  server.use(http.post('*/api/auth/token/refresh/', () => HttpResponse.json(fresh)))
  await storeTokens({ access: 'access', refresh: 'refresh', role: 'user' })
  stop = watchTokens()
})
afterEach(() => stop())

describe('an access token that was removed in another tab', () => {
  it('is renewed', async () => {
    removedElsewhere(STORAGE.access)
    await eventually(() => expect(readTokens().access).toBe(fresh.access))
    expect(goTo).not.toHaveBeenCalled()
  })

  it('ends the session if there is no refresh token', async () => {
    localStorage.removeItem(STORAGE.refresh)
    removedElsewhere(STORAGE.access)
    await eventually(() => expect(goTo).toHaveBeenCalledWith('/logout'))
    expect(readLogoutNotice()).toBe('session_ended')
  })

  it('is not assumed when another key is removed', async () => {
    removedElsewhere(STORAGE.updates)
    expect(readTokens().access).toBe('access')
  })
})

describe('the start', () => {
  it('continues with a refresh token alone', async () => {
    localStorage.removeItem(STORAGE.access)
    await resumeSession()
    expect(readTokens().access).toBe(fresh.access)
  })

  it('leaves a guest alone', async () => {
    localStorage.clear()
    await resumeSession()
    expect(goTo).not.toHaveBeenCalled()
  })
})
