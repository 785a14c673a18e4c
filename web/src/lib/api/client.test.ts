import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { activateLocale } from '../i18n/i18n'
import { logOut } from '../session/log-out'
import { readLogoutNotice } from '../session/logout-notice'
import { page } from '../session/page'
import { resetSessionStore, startLimitedSession, startSession } from '../session/session-store'
import { readTokens } from '../session/tokens'
import { server } from '../testing/server'
import { api, unwrap } from './client'
import { limitedAccessOf } from './errors'

const tokens = { access: 'old', refresh: 'refresh', role: 'user' } as const
const reload = () => vi.mocked(page.reload)
let seen: Request[] = []

/** A server that accepts only the access token "new". */
function servePortal() {
  const guarded = ({ request }: { request: Request }) => {
    seen.push(request)
    return request.headers.get('Authorization') === 'Bearer new'
      ? HttpResponse.json([])
      : HttpResponse.json({ detail: 'Bitte neu anmelden.', code: 'token_invalid' }, { status: 401 })
  }
  server.use(
    http.get('*/api/auth/usr_sn/', guarded),
    http.post('*/api/auth/usr_sn/', guarded),
    http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })),
    http.post('*/api/auth/token/refresh/', () =>
      HttpResponse.json({ access: 'new', refresh: 'next', role: 'user' }),
    ),
  )
}

const refuseRefresh = (reply: () => Response) => server.use(http.post('*/api/auth/token/refresh/', reply))
const listSystems = () => unwrap(api.GET('/api/auth/usr_sn/'))
const addKeys = () => unwrap(api.POST('/api/auth/usr_sn/', { body: { keys: '8K2041773,ABCDEF' } }))

beforeEach(async () => {
  seen = []
  vi.spyOn(page, 'reload').mockImplementation(() => undefined)
  vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
  servePortal()
  resetSessionStore()
  await startSession(tokens)
})

describe('every call', () => {
  it('carries token and language, and a form if it has a body', async () => {
    await startSession({ ...tokens, access: 'new' })
    await activateLocale('pl')
    await addKeys()
    const [request] = seen
    expect(request?.headers.get('Authorization')).toBe('Bearer new')
    expect(request?.headers.get('Accept-Language')).toBe('pl')
    expect(request?.headers.get('Content-Type')).toBe('application/x-www-form-urlencoded')
    expect(await request?.text()).toBe('keys=8K2041773%2CABCDEF')
  })
})

describe('a call refused with 401', () => {
  it('is repeated once with the renewed token if it only reads', async () => {
    expect(await listSystems()).toEqual([])
    expect(seen.map((request) => request.headers.get('Authorization'))).toEqual(['Bearer old', 'Bearer new'])
  })

  it('is never sent twice if it writes', async () => {
    await expect(addKeys()).rejects.toMatchObject({ status: 401, code: 'token_invalid' })
    expect(seen).toHaveLength(1)
    expect(readTokens().access).toBe('new')
  })

  it('reloads the page once per session', async () => {
    await Promise.all([listSystems(), listSystems(), listSystems()])
    expect(reload()).toHaveBeenCalledTimes(1)
    localStorage.setItem('access_token', 'old')
    await listSystems()
    expect(reload()).toHaveBeenCalledTimes(1)
  })

  it('logs out when the session is over', async () => {
    refuseRefresh(() => HttpResponse.json({ detail: 'x', code: 'refresh_invalid' }, { status: 401 }))
    await expect(listSystems()).rejects.toMatchObject({ status: 401 })
    expect(page.goTo).toHaveBeenCalledWith('/logout')
    expect(readTokens()).toEqual({ access: null, refresh: null })
    expect(readLogoutNotice()).toBe('session_ended')
  })

  it('logs out with its own text if the reply to the refresh is invalid', async () => {
    refuseRefresh(() => HttpResponse.json({ hello: 'world' }))
    await expect(listSystems()).rejects.toMatchObject({ status: 401 })
    expect(readLogoutNotice()).toBe('refresh_reply')
  })

  it('keeps the session if the refresh does not reach the server', async () => {
    refuseRefresh(() => HttpResponse.error())
    await expect(listSystems()).rejects.toMatchObject({ status: 401 })
    expect(page.goTo).not.toHaveBeenCalled()
    expect(readTokens()).toEqual({ access: 'old', refresh: 'refresh' })
  })

  it('has no effect after a logout', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', async () => {
        await logOut()
        return HttpResponse.json({ detail: 'Bitte neu anmelden.', code: 'token_invalid' }, { status: 401 })
      }),
    )
    await expect(listSystems()).rejects.toMatchObject({ status: 401 })
    expect(page.goTo).not.toHaveBeenCalled()
    expect(readLogoutNotice()).toBeNull()
  })

  it('ends a limited session, which cannot be renewed', async () => {
    localStorage.clear()
    startLimitedSession('limited')
    await expect(listSystems()).rejects.toMatchObject({ status: 401 })
    expect(seen[0]?.headers.get('Authorization')).toBe('Bearer limited')
    expect(page.goTo).toHaveBeenCalledWith('/logout')
  })
})

describe('a login', () => {
  const logIn = () =>
    unwrap(
      api.POST('/api/auth/token/', {
        body: { email: 'owner@example.com', password: 'x', electrician: false, stayLoggedIn: true },
      }),
    )

  it('that is refused does not refresh', async () => {
    server.use(
      http.post('*/api/auth/token/', ({ request }) => {
        seen.push(request)
        return HttpResponse.json({ detail: 'Nein.', code: 'invalid_credentials' }, { status: 401 })
      }),
    )
    await expect(logIn()).rejects.toMatchObject({ code: 'invalid_credentials', detail: 'Nein.' })
    expect(seen[0]?.headers.has('Authorization')).toBe(false)
    expect(reload()).not.toHaveBeenCalled()
  })

  it('without systems returns the token for the key page', async () => {
    const body = { detail: 'Keine Seriennummer.', code: 'no_systems', access: 'limited' }
    server.use(http.post('*/api/auth/token/', () => HttpResponse.json(body, { status: 403 })))
    const error = await logIn().catch((thrown: unknown) => thrown)
    expect(limitedAccessOf(error)).toBe('limited')
  })
})
