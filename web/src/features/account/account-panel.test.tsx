import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { readLoginNotice } from '@/lib/session/login-notice'
import { startSession } from '@/lib/session/session-store'
import { type Role, readTokens } from '@/lib/session/tokens'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { AccountPanel } from './account-panel'

let bodies: string[]

async function serveAccount(role: Role) {
  bodies = []
  const account = {
    email: 'owner@example.com',
    role,
    phone: '+4930901820',
    country: 'DE',
    name: null,
    company: role === 'electrician' ? 'Blitz GmbH' : null,
    company_role: role === 'electrician' ? 'owner' : null,
    language: 'de',
    created_at: 0,
    terms_version: '1',
    sessions: 2,
    email_pending: false,
    totp: { since: null, recovery_codes: 0, required: false },
    passkeys: [],
  }
  await startSession({ access: 'a', refresh: 'r', role })
  server.use(
    http.get('*/api/auth/account/', () => HttpResponse.json(account)),
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: '8K2041773' }])),
    http.get('*/api/auth/usr_sn/claims/', () => HttpResponse.json([])),
    http.get('*/api/auth/partner/', () => HttpResponse.json([])),
    http.post('*/api/auth/logout/', async ({ request }) => {
      bodies.push(await request.text())
      return new HttpResponse(null, { status: 204 })
    }),
  )
}

/** Rendered without the page's heading. */
const open = () =>
  renderPage(() => (
    <>
      <h1>page</h1>
      <AccountPanel />
    </>
  ))

beforeEach(() => history.replaceState(null, '', '/settings'))

describe('the account', () => {
  it('of an owner has systems and partner apps', async () => {
    await serveAccount('user')
    await open()
    expect(await screen.findByText('8K2041773')).toBeInTheDocument()
    expect(await screen.findByText(/keine App Zugang/)).toBeInTheDocument()
    expect(screen.queryByLabelText('Firma')).toBeNull()
  })

  it('of an electrician has a company and neither of them', async () => {
    await serveAccount('electrician')
    await open()
    expect(await screen.findByLabelText('Firma')).toHaveValue('Blitz GmbH')
    expect(screen.queryByText('Verbundene Anlagen')).toBeNull()
    expect(screen.queryByText('Partner-Apps')).toBeNull()
  })

  it('asks for a new login after keys were added', async () => {
    await serveAccount('user')
    const key = 'ABCDE-FGHJK-MNPQR-STVWX'
    const result = { key, status: 'linked', sns: ['8K2041774'], text: 'Verbunden.' }
    server.use(http.post('*/api/auth/usr_sn/', () => HttpResponse.json({ keys: [result] })))
    await open()
    await screen.findByText('8K2041773')
    fill('Seriennummer oder Registrierungscode', key)
    await userEvent.click(screen.getByRole('button', { name: 'Hinzufügen' }))
    expect(await screen.findByText(/melden Sie sich ab und wieder an/)).toBeInTheDocument()
  })

  it('takes the key of a mailed link, and removes it from the address', async () => {
    await serveAccount('user')
    history.replaceState(null, '', '/settings#key=ABCDE-FGHJK-MNPQR-STVWX')
    await open()
    await screen.findByText('8K2041773')
    expect(screen.getByLabelText('Seriennummer oder Registrierungscode')).toHaveValue(
      'ABCDE-FGHJK-MNPQR-STVWX',
    )
    expect(location.hash).toBe('')
  })

  it('is logged out everywhere, this browser included', async () => {
    await serveAccount('user')
    const { path } = await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Überall abmelden' }))
    await waitFor(() => expect(path()).toBe('/login'))
    expect(bodies[0]).toBe('all=1')
    expect(readTokens().access).toBeNull()
    expect(readLoginNotice()?.notice).toBe('logged_out_everywhere')
  })

  it('takes the mailed link for a new address, and removes its secret from the address', async () => {
    await serveAccount('user')
    const tokens: (string | null)[] = []
    server.use(
      http.post('*/api/auth/account/email/confirm/', async ({ request }) => {
        tokens.push(new URLSearchParams(await request.text()).get('token'))
        return HttpResponse.json({ email: 'new@example.com' })
      }),
    )
    history.replaceState(null, '', '/settings#email=secret')
    await open()
    expect(await screen.findByText(/jetzt new@example\.com/)).toBeInTheDocument()
    expect(tokens).toEqual(['secret'])
    expect(location.hash).toBe('')
  })
})
