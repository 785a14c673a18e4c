import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CLAIM_POLL } from '@/lib/constants'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { RegisterPage } from './register-page'

const linked = { key: 'ABCDE-FGHJK-MNPQR-STVWX', status: 'linked', sns: ['8K2041773'], text: 'Verbunden.' }
const waiting = { key: '8K2041774', status: 'waiting', sns: ['8K2041774'], text: 'Wartet.' }

const claim = { sn: waiting.key, status: 'waiting', expires_at: Date.now() + 60_000 }

const answer = (status: number, body: object) =>
  server.use(http.post('*/api/auth/register/', () => HttpResponse.json(body, { status })))

async function fillIn() {
  fill('E-Mail', 'anna@example.com')
  fill('Passwort', 'Sonnenschein-1!')
  fill('Passwort wiederholen', 'Sonnenschein-1!')
  fill('Telefonnummer', '030 901820')
  fill('Seriennummer oder Registrierungscode', '8K2041773')
  await userEvent.click(screen.getByRole('button', { name: 'Weiteren Speicher hinzufügen' }))
  fill(/^2\. Seriennummer/, '8K2041774')
  await userEvent.click(screen.getByRole('checkbox', { name: /Nutzungsbedingungen/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Registrieren' }))
}

beforeEach(() => {
  history.replaceState(null, '', '/register')
  const links = { terms: 'https://example.com/terms' }
  server.use(http.get('*/config.json', () => HttpResponse.json({ demo: false, links })))
})

afterEach(() => void vi.useRealTimers())

describe('a registration', () => {
  it('explains to electricians what the portal offers them', async () => {
    await renderPage(RegisterPage)
    expect(screen.getByText('In wenigen Minuten sehen Sie, was Ihr Speicher tut.')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('radio', { name: 'Ich bin Elektriker' }))
    expect(screen.getByText('Betreuen Sie alle Anlagen Ihrer Kunden an einem Ort.')).toBeInTheDocument()
  })

  it('with a code is complete, and shows the result of each key', async () => {
    answer(201, { confirm: false, keys: [linked, waiting], watch: null })
    await renderPage(RegisterPage)
    await fillIn()
    expect(await screen.findByRole('heading', { name: 'Ihr Konto ist bereit' })).toHaveFocus()
    expect(screen.getByText(linked.key)).toBeInTheDocument()
    expect(screen.getByText(/30 Minuten/)).toBeInTheDocument()
  })

  it('without a code waits for the mailed link', async () => {
    answer(202, { confirm: true, keys: [waiting], watch: null })
    await renderPage(RegisterPage)
    await fillIn()
    expect(await screen.findByRole('heading', { name: /Postfach/ })).toHaveFocus()
    expect(screen.getByText(/anna@example\.com/)).toBeInTheDocument()
  })

  it('shows at its field that a key is taken', async () => {
    answer(400, { sn2: ['Schon vergeben.'], codes: { sn2: ['serial_used'] } })
    await renderPage(RegisterPage)
    await fillIn()
    await screen.findByRole('alert')
    const second = screen.getByLabelText(/^2\. Seriennummer/)
    expect(second).toHaveFocus()
    expect(second).toHaveAccessibleDescription(/gehört schon zu einem anderen Konto/)
    expect(screen.getByLabelText('E-Mail')).toHaveValue('anna@example.com')
  })
})

it('by a mailed link `#key=…` has the key filled in, and removes it from the address', async () => {
  history.replaceState(null, '', '/register#key=ABCDE-FGHJK-MNPQR-STVWX')
  await renderPage(RegisterPage)
  expect(screen.getByLabelText('Seriennummer oder Registrierungscode')).toHaveValue('ABCDE-FGHJK-MNPQR-STVWX')
  expect(location.hash).toBe('')
})

describe('the mailed link', () => {
  const open = () => history.replaceState(null, '', '/register#confirm=secret')

  it('is used once, and its secret is removed from the address', async () => {
    const tokens: (string | null)[] = []
    server.use(
      http.post('*/api/auth/register/claims/', () => HttpResponse.json([claim])),
      http.post('*/api/auth/register/confirm/', async ({ request }) => {
        tokens.push(new URLSearchParams(await request.text()).get('token'))
        return HttpResponse.json({ role: 'user', keys: [waiting], watch: 'token' })
      }),
    )
    open()
    await renderPage(RegisterPage)
    expect(await screen.findByText(waiting.key)).toBeInTheDocument()
    expect(tokens).toEqual(['secret'])
    expect(location.href).not.toContain('secret')
  })

  it('leads to a page that polls until the system is linked', async () => {
    const asked: (string | null)[] = []
    server.use(
      http.post('*/api/auth/register/confirm/', () =>
        HttpResponse.json({ role: 'user', keys: [waiting], watch: 'token' }),
      ),
      http.post('*/api/auth/register/claims/', async ({ request }) => {
        asked.push(new URLSearchParams(await request.text()).get('watch'))
        return HttpResponse.json(asked.length < 2 ? [claim] : [])
      }),
    )
    vi.useFakeTimers({
      toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
      shouldAdvanceTime: true,
    })
    open()
    await renderPage(RegisterPage)
    expect(await screen.findByText('Wartet auf den Hauptschalter')).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(CLAIM_POLL)
    expect(await screen.findByText('Verbunden')).toBeInTheDocument()
    await vi.advanceTimersByTimeAsync(3 * CLAIM_POLL)
    expect(asked).toEqual(['token', 'token'])
  })

  it('that is used up says what to do', async () => {
    server.use(
      http.post('*/api/auth/register/confirm/', () =>
        HttpResponse.json({ detail: 'Abgelaufen.', code: 'link_invalid' }, { status: 400 }),
      ),
    )
    open()
    await renderPage(RegisterPage)
    expect(await screen.findByRole('alert')).toHaveTextContent(/registrieren Sie sich bitte noch einmal/)
    expect(screen.getByRole('link', { name: 'Zur Anmeldung' })).toBeInTheDocument()
  })
})
