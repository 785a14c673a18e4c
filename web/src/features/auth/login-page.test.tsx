import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { leaveLoginNotice } from '@/lib/session/login-notice'
import { resetSessionStore, useSession } from '@/lib/session/session-store'
import { readTokens } from '@/lib/session/tokens'
import { forgetWantedPage, noteFirstPage, takeWantedPage } from '@/lib/session/wanted-page'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { LoginPage } from './login-page'

let sent: URLSearchParams[] = []

function answer(status: number, body: object, headers = {}) {
  server.use(
    http.post('*/api/auth/token/', async ({ request }) => {
      sent.push(new URLSearchParams(await request.text()))
      return HttpResponse.json(body, { status, headers })
    }),
  )
}

async function logIn() {
  fill('E-Mail', ' owner@example.com ')
  fill('Passwort', 'Sonnenschein-1!')
  await userEvent.click(screen.getByRole('button', { name: 'Anmelden' }))
}

beforeEach(() => {
  sent = []
  resetSessionStore()
})

describe('a login', () => {
  it('stores the tokens and goes to the dashboard of the role', async () => {
    answer(200, { access: 'a', refresh: 'r', role: 'electrician' })
    const { path } = await renderPage(LoginPage)
    await userEvent.click(screen.getByRole('radio', { name: 'Ich bin Elektriker' }))
    await userEvent.click(screen.getByRole('checkbox', { name: 'Angemeldet bleiben' }))
    await logIn()
    await waitFor(() => expect(path()).toBe('/electrician-dashboard'))
    expect(Object.fromEntries(sent[0] ?? [])).toEqual({
      email: 'owner@example.com',
      password: 'Sonnenschein-1!',
      electrician: 'true',
      stayLoggedIn: 'true',
    })
    expect(readTokens()).toEqual({ access: 'a', refresh: 'r' })
  })

  it('goes on to the page that a mailed link named, once', async () => {
    forgetWantedPage()
    noteFirstPage('/settings#grants')
    noteFirstPage('/plan')
    answer(200, { access: 'a', refresh: 'r', role: 'user' })
    const { path } = await renderPage(LoginPage)
    await logIn()
    await waitFor(() => expect(path()).toBe('/settings'))
    expect(takeWantedPage()).toBeNull()
  })

  it('takes a given code along to the settings', async () => {
    history.replaceState(null, '', '#key=ABCDE-FGHJK-MNPQR-STVWX')
    answer(200, { access: 'a', refresh: 'r', role: 'user' })
    const { path } = await renderPage(LoginPage)
    expect(location.hash).toBe('')
    await logIn()
    await waitFor(() => expect(path()).toBe('/settings'))
  })

  it('that is refused shows why and keeps what was typed', async () => {
    answer(401, { detail: 'Anmeldung fehlgeschlagen.', code: 'invalid_credentials' })
    const { path } = await renderPage(LoginPage)
    await logIn()
    expect(await screen.findByRole('alert')).toHaveTextContent('Anmeldung fehlgeschlagen.')
    expect(screen.getByLabelText('Passwort')).toHaveValue('Sonnenschein-1!')
    expect(screen.getByRole('button', { name: 'Anmelden' })).not.toHaveAttribute('aria-busy')
    expect(path()).toBe('/here')
  })

  it('before the address is confirmed offers to resend the mail', async () => {
    answer(403, { detail: 'Noch nicht bestätigt.', code: 'email_unconfirmed' })
    const { path } = await renderPage(LoginPage)
    await logIn()
    expect(await screen.findByRole('alert')).toHaveTextContent('Noch nicht bestätigt.')
    answer(403, { detail: 'Noch einmal geschickt.', code: 'confirm_resent' })
    await userEvent.click(screen.getByRole('button', { name: 'E-Mail noch einmal senden' }))
    expect(await screen.findByText('Noch einmal geschickt.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'E-Mail noch einmal senden' })).toBeNull()
    expect(sent.map((form) => form.get('resend'))).toEqual([null, 'true'])
    expect(path()).toBe('/here')
  })

  it('without systems goes to the key page, with a token for that alone', async () => {
    answer(403, { detail: 'Keine Seriennummer.', code: 'no_systems', access: 'limited' })
    const { path } = await renderPage(LoginPage)
    await logIn()
    await waitFor(() => expect(path()).toBe('/connect'))
    expect(useSession.getState().limitedAccess).toBe('limited')
    expect(readTokens()).toEqual({ access: null, refresh: null })
  })

  it('shows how long to wait after too many attempts', async () => {
    answer(429, { detail: 'Zu viele.', code: 'too_many_attempts' }, { 'Retry-After': '90' })
    await renderPage(LoginPage)
    await logIn()
    expect(await screen.findByRole('alert')).toHaveTextContent('2 Minuten')
  })

  it('says if the server did not answer', async () => {
    server.use(http.post('*/api/auth/token/', () => HttpResponse.error()))
    await renderPage(LoginPage)
    await logIn()
    expect(await screen.findByRole('alert')).toHaveTextContent('Keine Verbindung')
  })

  it('sends nothing while a field is empty, and focuses the first one', async () => {
    await renderPage(LoginPage)
    await userEvent.click(screen.getByRole('button', { name: 'Anmelden' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('2 Angaben')
    expect(screen.getByLabelText('E-Mail')).toHaveFocus()
    expect(sent).toHaveLength(0)
  })
})

describe('a notice of another page', () => {
  it('is shown once, with its role', async () => {
    leaveLoginNotice('password_reset', 'electrician')
    await renderPage(LoginPage)
    expect(screen.getByText(/Ihr neues Passwort gilt/)).toBeInTheDocument()
    expect(screen.getByRole('radio', { name: 'Ich bin Elektriker' })).toBeChecked()
    expect(sessionStorage.getItem('loginNotice')).toBeNull()
  })
})
