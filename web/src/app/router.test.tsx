import 'fake-indexeddb/auto'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, useSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { forgetWantedPage, takeWantedPage } from '@/lib/session/wanted-page'
import { server } from '@/lib/testing/server'
import { logIn, openApp, openRoute, serveSystems } from './testing'

beforeEach(() => serveSystems(['SC24A0001']))
afterEach(() => resetSessionStore())

describe('the routes', () => {
  it('show a page for unknown addresses', async () => {
    await openApp('/no-such-page')
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Diese Seite gibt es nicht')
    expect(screen.getByRole('link', { name: 'Zur Startseite' })).toHaveAttribute('href', '/login')
    expect(document.title).toBe('Diese Seite gibt es nicht · Suncellar')
  })

  it('redirect a guest from the root to the login', async () => {
    const router = await openApp('/')
    expect(router.state.location.pathname).toBe('/login')
  })

  it.each([
    ['/settings#grants', '/settings#grants'],
    ['/update?sn=SC24A0001', '/update?sn=SC24A0001'],
    ['/settings#email=secret', null],
    ['/register#key=secret', null],
    ['/', null],
  ])('remember what a guest wanted, but no secret: %s', async (opened, wanted) => {
    forgetWantedPage()
    await openRoute(opened)
    expect(takeWantedPage()).toBe(wanted)
  })

  it('redirect an owner from the root to the dashboard', async () => {
    await logIn('user')
    const router = await openApp('/')
    expect(router.state.location.pathname).toBe('/dashboard')
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Übersicht')
    expect(document.title).toBe('Übersicht · Suncellar')
  })

  it('take the role of a login in another tab', async () => {
    await logIn('electrician')
    useSession.setState({ role: 'user' })
    const router = await openRoute('/login')
    expect(router.state.location.pathname).toBe('/electrician-dashboard')
    expect(useSession.getState().role).toBe('electrician')
  })

  it('keep the fragment of a mailed link in redirects', async () => {
    await logIn('electrician')
    const router = await openRoute('/settings#email=SECRET')
    expect(router.state.location.pathname).toBe('/electrician-settings')
    expect(router.state.location.hash).toBe('email=SECRET')
  })

  it('end the session at /logout and go to the login', async () => {
    await logIn('electrician')
    const router = await openApp('/logout')
    expect(router.state.location.pathname).toBe('/login')
    expect(isAuthenticated()).toBe(false)
    expect(useSession.getState().role).toBe('user')
  })

  it('do not end the session when /logout is only preloaded', async () => {
    await logIn('user')
    const router = await openApp('/dashboard')
    await router.preloadRoute({ to: '/logout' })
    expect(isAuthenticated()).toBe(true)
  })
})

describe('the layouts', () => {
  beforeEach(() => server.use(http.get('*/api/auth/account/', () => HttpResponse.error())))

  it.each(['/login', '/register', '/login_cleverpv', '/lock', '/password_reset'])(
    '%s has the one for guests',
    async (path) => {
      await openApp(path)
      expect(await screen.findByRole('combobox', { name: 'Sprache' })).toBeInTheDocument()
      expect(screen.queryByRole('button', { name: 'Ihr Konto' })).toBeNull()
    },
  )

  it.each([
    ['user', '/dashboard'],
    ['user', '/calendar'],
    ['user', '/charts'],
    ['user', '/update'],
    ['user', '/settings'],
    ['electrician', '/electrician-dashboard'],
    ['electrician', '/electrician-settings'],
  ] as const)('for the role %s, %s has the main one', async (role, path) => {
    await logIn(role)
    await openApp(path)
    expect(await screen.findByRole('button', { name: 'Ihr Konto' })).toBeInTheDocument()
    expect(screen.queryByRole('combobox', { name: 'Sprache' })).toBeNull()
  })
})

describe('a change of page', () => {
  it('moves the focus to the heading', async () => {
    await logIn('user')
    await openApp('/dashboard')
    const [update] = await screen.findAllByRole('link', { name: 'Update' })
    await userEvent.click(update as HTMLElement)
    const heading = await screen.findByRole('heading', { level: 1, name: 'Update' })
    await waitFor(() => expect(heading).toHaveFocus())
  })
})

describe('the top bar before login', () => {
  it('links to homepage, registration and login', async () => {
    await openApp('/lock')
    expect(await screen.findByRole('link', { name: /Website/ })).toHaveAttribute(
      'rel',
      expect.stringContaining('noopener'),
    )
    expect(screen.getByRole('link', { name: 'Registrieren' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Anmelden' })).toBeInTheDocument()
  })

  it('hides them at a partner’s login', async () => {
    await openApp('/login_cleverpv')
    expect(await screen.findByRole('link', { name: /Impressum/ })).toBeInTheDocument()
    expect(screen.queryByRole('navigation', { name: 'Zugang' })).toBeNull()
  })
})
