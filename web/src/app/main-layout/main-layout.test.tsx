import 'fake-indexeddb/auto'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GivenGrant, HeldGrant } from '@/lib/data/grants'
import { readLogoutNotice } from '@/lib/session/logout-notice'
import { page } from '@/lib/session/page'
import { resetSessionStore, useSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { givenGrant, heldGrant } from '@/lib/testing/grants'
import { liveEntry } from '@/lib/testing/live'
import { server } from '@/lib/testing/server'
import { logIn, openApp, serveSystems } from '../testing'

beforeEach(() => {
  vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
})
afterEach(() => resetSessionStore())

describe('the start', () => {
  it('lists the systems of the owner', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    await openApp('/dashboard')
    await userEvent.keyboard('{Tab}')
    const list = await screen.findByRole('region', { name: 'Ihre Anlagen' })
    expect(await within(list).findByText('SC24A0001')).toBeInTheDocument()
    expect(within(list).getByText('4.12')).toBeInTheDocument()
    expect(useSession.getState().serials).toEqual(['SC24A0001'])
  })

  it('does not request systems without a token', async () => {
    serveSystems(['SC24A0001'])
    const asked = vi.fn()
    server.events.on('request:start', ({ request }) => asked(new URL(request.url).pathname))
    for (const path of ['/dashboard', '/update', '/lock']) {
      await openApp(path)
      await screen.findAllByRole('heading', { level: 1 })
      cleanup()
    }
    expect(asked).not.toHaveBeenCalledWith('/api/auth/usr_sn/')
    server.events.removeAllListeners()
  })

  it('goes to the dashboard when the systems have changed', async () => {
    serveSystems(['SC24A0001', 'SC24A0002'])
    await logIn('user')
    useSession.setState({ serials: ['SC24A0001'] })
    const router = await openApp('/charts')
    await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
  })

  it('stays where it is when they are the same', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    useSession.setState({ serials: ['SC24A0001'] })
    const router = await openApp('/charts')
    await screen.findByText('SC24A0001')
    expect(router.state.location.pathname).toBe('/charts')
  })

  it('logs an owner without systems out, and says why', async () => {
    serveSystems([])
    await logIn('user')
    await openApp('/dashboard')
    await waitFor(() => expect(page.goTo).toHaveBeenCalledWith('/logout'))
    expect(readLogoutNotice()).toBe('no_systems')
    expect(isAuthenticated()).toBe(false)
  })

  it('requests nothing after a logout', async () => {
    serveSystems(['SC24A0001', 'SC24A0002'])
    await logIn('user')
    const router = await openApp('/dashboard')
    await screen.findByRole('heading', { name: 'Ihr Haus läuft mit Sonne.' })
    const asked = vi.fn()
    server.events.on('request:start', ({ request }) => {
      if (request.headers.get('Authorization') === null) asked(new URL(request.url).pathname)
    })
    await router.navigate({ to: '/logout' })
    await screen.findByRole('heading', { name: 'Willkommen zurück' })
    expect(asked.mock.calls.flat().filter((path) => path.startsWith('/api/'))).toEqual([])
    server.events.removeAllListeners()
  })

  it('opens one event stream for all pages, and another for the one system on screen', async () => {
    serveSystems(['SC24A0001', 'SC24A0002'])
    const asked: (string | null)[] = []
    server.use(
      http.get('*/api/auth/stream/', ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('sn'))
        return new HttpResponse(new ReadableStream())
      }),
      http.get('*/api/auth/journal/', () => HttpResponse.json({ page: 1, pages: 0, total: 0, lines: [] })),
    )
    await logIn('electrician')
    const router = await openApp('/electrician-dashboard')
    await waitFor(() => expect(asked).toEqual([null]))
    await router.navigate({ to: '/alarms' })
    await screen.findByRole('heading', { name: 'Alarme' })
    await router.navigate({ to: '/update' })
    await screen.findByRole('heading', { level: 1 })
    expect(asked).toEqual([null])
    await router.navigate({ to: '/electrician-dashboard/$sn', params: { sn: 'SC24A0002' } })
    await waitFor(() => expect(asked).toEqual([null, 'SC24A0002']))
  })

  it('lets an electrician in with an empty fleet', async () => {
    serveSystems([])
    await logIn('electrician')
    await openApp('/electrician-dashboard')
    expect(await screen.findByText('Noch ist keine Anlage für Sie freigegeben.')).toBeInTheDocument()
    expect(page.goTo).not.toHaveBeenCalled()
  })

  it('treats a missing answer neither as an empty list nor as the end of the session', async () => {
    serveSystems(null)
    await logIn('user')
    await openApp('/dashboard')
    await userEvent.keyboard('{Tab}')
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Keine Verbindung.')
    expect(within(alert).getByRole('button', { name: 'Noch einmal versuchen' })).toBeInTheDocument()
    expect(isAuthenticated()).toBe(true)
    expect(page.goTo).not.toHaveBeenCalled()
  })
})

describe('pending decisions about access', () => {
  const serveGrants = (given: GivenGrant[], held: HeldGrant[]) =>
    server.use(http.get('*/api/auth/grant/', () => HttpResponse.json({ given, held, handovers: [] })))

  it('are on the owner’s dashboard, and in the bell', async () => {
    serveSystems(['SC24A0001'])
    serveGrants([givenGrant({ state: 'asked', scope: 'monitor' })], [])
    await logIn('user')
    await openApp('/dashboard')
    expect(await screen.findByText('Elektro Sonnenberg bittet um Zugang zu SC24A0001')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Entscheiden' })).toHaveAttribute('href', '/settings#grants')
    const decision = 'Ein Zugang wartet auf Ihre Entscheidung'
    await userEvent.click(await screen.findByRole('button', { name: decision }))
    expect(await screen.findByRole('menuitem', { name: decision })).toHaveAttribute(
      'href',
      '/settings#grants',
    )
  })

  it('are on the page of an electrician with an empty fleet, and in the bell', async () => {
    serveSystems([])
    // The first two have the same owner and count as one.
    const invited = ['SC24B0001', 'SC24B0002', 'SC24C0001'].map((sn, id) =>
      heldGrant({ id, sn, state: 'invited', household: Math.max(id, 1) }),
    )
    serveGrants([], invited)
    await logIn('electrician')
    await openApp('/electrician-dashboard')
    const invitations = '2 Einladungen warten auf Ihre Antwort'
    const card = within(await screen.findByRole('region', { name: 'Wartet auf Sie' }))
    expect(card.getByRole('link', { name: /^2 Einladungen warten auf Ihre Antwort/ })).toHaveAttribute(
      'href',
      '/electrician-settings#grants',
    )
    await userEvent.click(screen.getByRole('button', { name: invitations }))
    expect(await screen.findByRole('menuitem', { name: invitations })).toBeInTheDocument()
  })

  it('are hidden if there are none', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    await openApp('/dashboard')
    await screen.findByRole('button', { name: 'Updates' })
    expect(screen.queryByRole('link', { name: 'Entscheiden' })).toBeNull()
  })
})

describe('the top bar', () => {
  it.each(['/dashboard', '/settings', '/alarms'])('names the only system of an owner: %s', async (path) => {
    serveSystems([])
    server.use(
      http.get('*/api/auth/usr_sn/', () =>
        HttpResponse.json([{ sn: 'SC24A0001', phase: 1, access: 'owner', group_name: 'Lindenweg 7' }]),
      ),
    )
    await logIn('user')
    await openApp(path)
    const [bar] = await screen.findAllByRole('banner')
    await waitFor(() => expect(bar).toHaveTextContent('Lindenweg 7·SC24A0001'))
  })
})

describe('the bell', () => {
  /** Three systems, and the entry for all of them, which must not be listed. */
  const withUpdates = (...pending: string[]) => {
    const entries = ['SC24A0001', 'SC24A0002', 'SC24A0003', '-1'].map((sn) => ({
      [sn]: liveEntry({ updatable: sn === '-1' || pending.includes(sn) }),
    }))
    return { data: entries, message3: {}, message5: {}, message6: {} }
  }

  it('says when there is no update', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    await openApp('/dashboard')
    await userEvent.click(await screen.findByRole('button', { name: 'Updates' }))
    expect(await screen.findByRole('menuitem')).toHaveTextContent('Kein Update verfügbar')
  })

  it('links to each system with a pending update', async () => {
    serveSystems(['SC24A0001', 'SC24A0002', 'SC24A0003'])
    server.use(http.get('*/api/auth/data/', () => HttpResponse.json(withUpdates('SC24A0001', 'SC24A0002'))))
    await logIn('user')
    await openApp('/dashboard')
    await userEvent.click(await screen.findByRole('button', { name: 'Updates für 2 Anlagen' }))
    const items = await screen.findAllByRole('menuitem')
    expect(items.map((item) => item.textContent)).toEqual(['SC24A0001', 'SC24A0002'])
    for (const item of items) expect(item).toHaveAttribute('href', `/update?sn=${item.textContent}`)
  })
})

describe('the bell with alarms', () => {
  const alarm = { id: 1, kind: 'offline', text: 'Nicht erreichbar', next: '', since: 0, acknowledged: false }
  const serve = () => {
    serveSystems(['SC24A0001'])
    const entry = liveEntry({ alarms: [alarm, { ...alarm, id: 2, acknowledged: true }], updatable: true })
    const live = { data: [{ SC24A0001: entry }], message3: {}, message5: {}, message6: {} }
    server.use(http.get('*/api/auth/data/', () => HttpResponse.json(live)))
  }
  const bell = { name: '1 Alarm, Update für 1 Anlage' }

  it('links an owner to the alarms, but not for acknowledged ones', async () => {
    serve()
    await logIn('user')
    await openApp('/calendar')
    await userEvent.click(await screen.findByRole('button', bell))
    const items = await screen.findAllByRole('menuitem')
    expect(items.map((item) => item.getAttribute('href'))).toEqual(['/alarms', '/update?sn=SC24A0001'])
  })

  it('links an electrician to the systems with an alarm, and to those with an update', async () => {
    serve()
    await logIn('electrician')
    await openApp('/electrician-dashboard')
    await userEvent.click(await screen.findByRole('button', bell))
    const items = await screen.findAllByRole('menuitem')
    expect(items.map((item) => item.getAttribute('href'))).toEqual([
      '/electrician-dashboard?show=alarm',
      '/electrician-dashboard?show=update',
    ])
  })
})

describe('the profile menu', () => {
  it.each([
    ['user', '/dashboard', '/settings'],
    ['electrician', '/electrician-dashboard', '/electrician-settings'],
  ] as const)('leads a %s to the right settings', async (role, path, settings) => {
    serveSystems(['SC24A0001'])
    await logIn(role)
    await openApp(path)
    await userEvent.click(await screen.findByRole('button', { name: 'Ihr Konto' }))
    expect(await screen.findByRole('menuitem', { name: 'Einstellungen' })).toHaveAttribute('href', settings)
  })

  it('logs out', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    const router = await openApp('/dashboard')
    await userEvent.click(await screen.findByRole('button', { name: 'Ihr Konto' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Abmelden' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'))
    expect(isAuthenticated()).toBe(false)
  })
})

describe('the floating sidebar toggle', () => {
  it('appears after 50 pixels of scroll and folds the menu', async () => {
    serveSystems(['SC24A0001'])
    await logIn('user')
    await openApp('/dashboard')
    expect(await screen.findAllByRole('button', { name: 'Menü einklappen' })).toHaveLength(1)
    for (const [scrolled, buttons] of [
      [50, 1],
      [51, 2],
    ] as const) {
      vi.stubGlobal('scrollY', scrolled)
      dispatchEvent(new Event('scroll'))
      await waitFor(() =>
        expect(screen.getAllByRole('button', { name: 'Menü einklappen' })).toHaveLength(buttons),
      )
    }
    const [, floating] = screen.getAllByRole('button', { name: 'Menü einklappen' })
    await userEvent.click(floating as HTMLElement)
    expect(screen.getAllByRole('button', { name: 'Menü ausklappen' })).toHaveLength(2)
    vi.unstubAllGlobals()
  })
})
