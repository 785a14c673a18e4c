import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { page } from '@/lib/session/page'
import { startSession } from '@/lib/session/session-store'
import { type Role, readTokens } from '@/lib/session/tokens'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { PartnerLoginPage } from './partner-login-page'

const request = {
  client_id: 'demo-app',
  redirect_uri: 'https://app.example/back',
  response_type: 'code',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'live',
  state: '12345678901234567890',
}
const given = vi.fn<(form: object) => void>()

const openPage = () => renderPage(PartnerLoginPage)
const knowApp = () =>
  server.use(http.get('*/api/partner/client/', () => HttpResponse.json({ name: 'Sonnenfreund' })))
const refuseRefresh = () =>
  server.use(
    http.post('*/api/auth/token/refresh/', () =>
      HttpResponse.json({ detail: 'Vorbei.', code: 'refresh_invalid' }, { status: 401 }),
    ),
  )

async function beLoggedInAs(role: Role) {
  await startSession({ access: 'a', refresh: 'r', role })
  server.use(
    http.post('*/api/auth/token/refresh/', () => HttpResponse.json({ access: 'b', refresh: 's', role })),
    http.get('*/api/auth/account/', () => HttpResponse.json({ email: 'owner@example.com', role })),
  )
}

beforeEach(() => {
  given.mockReset()
  vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
  history.replaceState(null, '', `/login_cleverpv?${new URLSearchParams(request)}`)
  server.use(
    http.post('*/api/auth/partner/', async ({ request: sent }) => {
      given(Object.fromEntries(new URLSearchParams(await sent.text())))
      return HttpResponse.json({ redirect: 'https://app.example/back?code=c&state=s' })
    }),
    http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })),
  )
})

describe('an unknown partner app', () => {
  it('is not named, and nobody is redirected to it', async () => {
    await beLoggedInAs('user')
    server.use(
      http.get('*/api/partner/client/', () =>
        HttpResponse.json({ detail: 'Nicht angemeldet.', code: 'client_unknown' }, { status: 404 }),
      ),
    )
    await openPage()
    expect(await screen.findByRole('alert')).toHaveTextContent('Nicht angemeldet.')
    expect(screen.queryByRole('button')).toBeNull()
    expect(page.goTo).not.toHaveBeenCalled()
  })
})

describe('an incomplete request', () => {
  it('is not even looked up', async () => {
    history.replaceState(null, '', '/login_cleverpv?client_id=demo-app')
    await openPage()
    expect(screen.getByRole('alert')).toBeInTheDocument()
  })
})

describe('the owner’s answer', () => {
  beforeEach(knowApp)

  it('yes sends the consent as requested, then redirects', async () => {
    await beLoggedInAs('user')
    await openPage()
    expect(await screen.findByText(/Aktuelle Messwerte/)).toBeInTheDocument()
    expect(screen.queryByText(/Seriennummer und Phase/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Erlauben' }))
    await waitFor(() => expect(page.goTo).toHaveBeenCalledWith('https://app.example/back?code=c&state=s'))
    const { response_type: _, ...asked } = request
    expect(given).toHaveBeenCalledWith(asked)
  })

  it('no redirects without a consent', async () => {
    await beLoggedInAs('user')
    await openPage()
    await userEvent.click(await screen.findByRole('button', { name: 'Ablehnen' }))
    expect(page.goTo).toHaveBeenCalledWith(
      'https://app.example/back?error=access_denied&state=12345678901234567890',
    )
    expect(given).not.toHaveBeenCalled()
  })

  it('cannot come from an electrician', async () => {
    await beLoggedInAs('electrician')
    await openPage()
    expect(await screen.findByText(/nur Besitzer/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Erlauben' })).toBeNull()
  })

  it('comes after a login if the session is over, without losing the request', async () => {
    await beLoggedInAs('user')
    refuseRefresh()
    await openPage()
    expect(await screen.findByLabelText('Passwort')).toBeInTheDocument()
    expect(screen.queryByRole('radio')).toBeNull()
    expect(readTokens().access).toBeNull()
    expect(page.goTo).not.toHaveBeenCalled()
  })
})
