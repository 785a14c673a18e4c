import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Claim } from '@/lib/data/claims'
import { startLimitedSession, useSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { ConnectPage } from './connect-page'

let claims: Claim[]
let systems: { sn: string }[]
let keys: (string | null)[]
let tokens: Set<string | null>

const minutesFromNow = (minutes: number) => Date.now() + minutes * 60_000
const seen = (request: Request) => tokens.add(request.headers.get('Authorization'))

beforeEach(() => {
  claims = []
  systems = []
  keys = []
  tokens = new Set()
  startLimitedSession('limited')
  server.use(
    http.get('*/api/auth/usr_sn/claims/', ({ request }) => {
      seen(request)
      return HttpResponse.json(claims)
    }),
    http.get('*/api/auth/usr_sn/', ({ request }) => {
      seen(request)
      return HttpResponse.json(systems)
    }),
    http.post('*/api/auth/usr_sn/', async ({ request }) => {
      seen(request)
      keys.push(new URLSearchParams(await request.text()).get('keys'))
      claims = [{ sn: '8K2041773', status: 'waiting', expires_at: minutesFromNow(30) }]
      const results = [
        { key: '8K2041773', status: 'waiting', sns: ['8K2041773'], text: 'Wartet.' },
        { key: 'XXXXXX', status: 'unknown', sns: [], text: 'Unbekannt.' },
      ]
      return HttpResponse.json({ keys: results })
    }),
    http.post('*/api/auth/logout/', () => new HttpResponse(null, { status: 204 })),
  )
})

describe('an owner without systems', () => {
  it('sees how long a serial number still waits, with only the limited token', async () => {
    claims = [{ sn: '8K2041773', status: 'waiting', expires_at: minutesFromNow(12) }]
    await renderPage(ConnectPage)
    expect(await screen.findByRole('timer')).toHaveTextContent(/noch 1[12]:\d\d/)
    expect(tokens).toEqual(new Set(['Bearer limited']))
  })

  it('renews a claim whose time has run out', async () => {
    claims = [{ sn: '8K2041773', status: 'lapsed', expires_at: minutesFromNow(-1) }]
    await renderPage(ConnectPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Noch einmal versuchen' }))
    expect(await screen.findByRole('timer')).toBeInTheDocument()
    expect(keys).toEqual(['8K2041773'])
  })

  it('is asked for the code if somebody else claims the system, too', async () => {
    claims = [{ sn: '8K2041773', status: 'contested', expires_at: minutesFromNow(5) }]
    await renderPage(ConnectPage)
    expect(await screen.findByText(/Registrierungscode aus den Unterlagen/)).toBeInTheDocument()
    expect(screen.queryByRole('timer')).toBeNull()
  })

  it('sees the result of each key, and keeps those that failed', async () => {
    await renderPage(ConnectPage)
    fill('Seriennummer oder Registrierungscode', '8K2041773, XXXXXX')
    await userEvent.click(screen.getByRole('button', { name: 'Hinzufügen' }))
    expect(await screen.findByText('Unbekannt.')).toBeInTheDocument()
    expect(keys).toEqual(['8K2041773,XXXXXX'])
    expect(screen.getByRole('button', { name: 'XXXXXX entfernen' })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: '8K2041773 entfernen' })).toBeNull()
  })

  it.each([
    ['the mouse', () => userEvent.click(screen.getByRole('button', { name: 'Hinzufügen' }))],
    ['the keyboard', () => userEvent.keyboard('{Tab}{Enter}')],
  ])('sends the draft at the first press of %s', async (_name, press) => {
    await renderPage(ConnectPage)
    await userEvent.type(screen.getByLabelText('Seriennummer oder Registrierungscode'), '8K2041773')
    await press()
    await waitFor(() => expect(keys).toEqual(['8K2041773']))
  })

  it('can remove a wrong draft', async () => {
    await renderPage(ConnectPage)
    await userEvent.type(screen.getByLabelText('Seriennummer oder Registrierungscode'), 'abc123')
    await userEvent.click(screen.getByRole('button', { name: 'Hinzufügen' }))
    expect(await screen.findByRole('button', { name: 'abc123 entfernen' })).toBeInTheDocument()
    expect(keys).toEqual([])
  })

  it('sends nothing when nothing was entered', async () => {
    await renderPage(ConnectPage)
    fill('Seriennummer oder Registrierungscode', ' , ')
    await userEvent.click(screen.getByRole('button', { name: 'Hinzufügen' }))
    expect(await screen.findByRole('alert')).toBeInTheDocument()
    expect(keys).toEqual([])
  })

  it('logs in again once a system is linked, and the limited session ends', async () => {
    systems = [{ sn: '8K2041773' }]
    const { path } = await renderPage(ConnectPage)
    await userEvent.click(await screen.findByRole('button', { name: 'Zur Anmeldung' }))
    await waitFor(() => expect(path()).toBe('/login'))
    expect(useSession.getState().limitedAccess).toBeNull()
  })
})
