import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { heldGrant } from '@/lib/testing/grants'
import { liveEntry } from '@/lib/testing/live'
import { server } from '@/lib/testing/server'
import { logIn, openApp, serveSystems } from '../testing'

const SN = 'SC24A0001'
let access: string
let first_name: string

beforeEach(async () => {
  access = 'configure'
  first_name = 'Katrin'
  await logIn('electrician')
  serveSystems([SN])
  const message2 = { ...liveEntry().message2, sm1: true }
  const message3 = { m3_rotation: true, m3_slave: true } as const
  server.use(
    http.get('*/api/auth/usr_sn/', () =>
      HttpResponse.json([
        {
          sn: SN,
          phase: 1,
          access,
          first_name,
          last_name: 'Albers',
          master_version: '2.4',
          time_zone: 'Europe/Berlin',
        },
      ]),
    ),
    http.get('*/api/auth/data/', () =>
      HttpResponse.json({
        data: [{ [SN]: liveEntry({ message2, grid_voltages: [229.2, 260, null] }) }],
        message3: { [SN]: message3 },
        message5: {},
        message6: {},
      }),
    ),
    http.get('*/api/auth/system/:sn/', () =>
      HttpResponse.json({ sn: SN, place: null, latitude: null, longitude: null, planes: [], kwp: null }),
    ),
    http.get('*/api/auth/system/:sn/customer/', () =>
      HttpResponse.json({ note: '', changed_at: null, changed_by: null, photos: [] }),
    ),
    http.get('*/api/auth/grant/', () =>
      HttpResponse.json({ given: [], held: [heldGrant({ sn: SN, scope: 'configure' })], handovers: [] }),
    ),
    http.get('*/api/auth/journal/', ({ request }) => {
      const own = new URL(request.url).searchParams.get('sn') === SN
      const line = {
        id: 1,
        at: 0,
        time: '2026-11-15 21:06:47',
        sn: SN,
        kind: 'settings',
        event: 'x',
        actor: 'you',
        who: 'Sie',
        text: 'Reserve geändert.',
      }
      return HttpResponse.json({ page: 1, pages: 1, total: 1, lines: own ? [line] : [] })
    }),
  )
})
afterEach(() => resetSessionStore())

describe('the head of a system', () => {
  it('shows the state and what is in force, and ends what may be ended', async () => {
    const pause = {
      kind: 'pause',
      since: Date.now(),
      until: Date.now() + 3_600_000,
      by: 'owner',
      end: 'auto',
    }
    const given: string[] = []
    server.use(
      http.get('*/api/auth/data/', () =>
        HttpResponse.json({
          data: [{ [SN]: liveEntry({ in_force: [pause] }) }],
          message3: {},
          message5: {},
          message6: {},
        }),
      ),
      http.post('*/api/auth/command/', async ({ request }) => {
        given.push(new URLSearchParams(await request.text()).get('command') ?? '')
        const late = { state: 'expired', created_at: 0, expires_at: 0, sent_at: null, ended_at: 0 }
        return HttpResponse.json({ id: 'c1', sn: SN, command: 'auto', ...late, args: {} }, { status: 201 })
      }),
    )
    await openApp(`/electrician-dashboard/${SN}`)
    const head = within(await screen.findByRole('region', { name: 'Status' }))
    expect(head.getByText('Pause')).toBeInTheDocument()
    expect(head.getByText(/· von der Besitzerin oder dem Besitzer$/)).toBeInTheDocument()
    await userEvent.click(await head.findByRole('button', { name: 'Pause beenden' }))
    expect(await head.findByText(/^Der Speicher hat nicht geantwortet\./)).toBeInTheDocument()
    expect(given).toEqual(['auto'])
  })
})

describe('contact and primary action of a system', () => {
  it('are in its head', async () => {
    server.use(
      http.get('*/api/auth/grant/', () =>
        HttpResponse.json({ given: [], held: [heldGrant({ sn: SN, phone: '+4930901820' })], handovers: [] }),
      ),
    )
    await openApp(`/electrician-dashboard/${SN}`)
    const head = within(await screen.findByRole('region', { name: 'Status' }))
    expect(await head.findByRole('link', { name: '+4930901820 anrufen' })).toHaveAttribute(
      'href',
      'tel:+4930901820',
    )
    expect(head.getByRole('link', { name: 'Einstellungen ändern' })).toHaveAttribute(
      'href',
      `/electrician-settings?part=storage&sn=${SN}`,
    )
    expect(screen.getAllByRole('link', { name: 'Einstellungen ändern' })).toHaveLength(1)
  })

  it('are a request for access with look-only access', async () => {
    access = 'monitor'
    const sent: string[] = []
    server.use(
      http.post('*/api/auth/grant/request/', async ({ request }) => {
        sent.push(await request.text())
        return HttpResponse.json({ sn: SN, state: 'asked', text: '' }, { status: 202 })
      }),
    )
    await openApp(`/electrician-dashboard/${SN}`)
    const head = within(await screen.findByRole('region', { name: 'Status' }))
    expect(head.queryByRole('link', { name: /anrufen/ })).toBeNull()
    await userEvent.click(await head.findByRole('button', { name: 'Um Service bitten' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.click(dialog.getByRole('button', { name: 'Um Service bitten' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent).toEqual([`sn=${SN}&scope=service&message=`])
  })
})

describe('one system of the fleet', () => {
  it('shows owner, energy flow and diagnosis', async () => {
    await openApp(`/electrician-dashboard/${SN}`)
    expect(await screen.findByRole('heading', { level: 1, name: 'Katrin Albers' })).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Energiefluss' })).toBeInTheDocument()
    expect(screen.queryByText(/Ihr Haus/)).toBeNull()
    const diagnosis = within(screen.getByRole('region', { name: 'Diagnose' }))
    expect(diagnosis.getByText(/^229,2\sV$/)).toBeInTheDocument()
    expect(diagnosis.getByText(/außerhalb 230 V/)).toBeInTheDocument()
    expect(diagnosis.getByText('Der Stromzähler antwortet nicht')).toBeInTheDocument()
    expect(diagnosis.getByText('Die Phasen sind vertauscht')).toBeInTheDocument()
    const facts = screen.getByRole('region', { name: 'Gerät und Zugang' })
    await waitFor(() => expect(facts).toHaveTextContent('Einstellen · bis 13. Februar 2027'))
    expect(await screen.findByText('Reserve geändert.')).toBeInTheDocument()
  })

  it('lets the configure scope change the end user’s name', async () => {
    const bodies: string[] = []
    server.use(
      http.patch('*/api/auth/system/:sn/', async ({ request }) => {
        bodies.push(await request.text())
        first_name = 'Karin'
        return HttpResponse.json({})
      }),
    )
    await openApp(`/electrician-dashboard/${SN}`)
    await userEvent.click(await screen.findByRole('button', { name: 'Namen ändern' }))
    fill('Vorname', 'Karin')
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Speichern' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Karin Albers' })).toBeInTheDocument()
    expect(bodies).toEqual(['first_name=Karin&last_name=Albers'])
  })

  it('lets the service scope switch, restart and test the meter', async () => {
    access = 'service'
    const given: URLSearchParams[] = []
    server.use(
      http.post('*/api/auth/command/', async ({ request }) => {
        given.push(new URLSearchParams(await request.text()))
        return HttpResponse.json({ detail: 'Nicht verbunden.', code: 'offline' }, { status: 409 })
      }),
    )
    await openApp(`/electrician-dashboard/${SN}`)
    const card = within(await screen.findByRole('region', { name: 'Befehle' }))
    const names = ['Einschalten', 'Ausschalten', 'Laden starten', 'Pause starten', 'Automatik einschalten']
    for (const name of [...names, 'Kalibrierung starten', 'Zähler testen'])
      expect(card.getByRole('button', { name })).toBeInTheDocument()
    await userEvent.click(card.getByRole('button', { name: 'Neu starten' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Speicher neu starten?' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Neu starten' }))
    await waitFor(() => expect(given[0]?.get('command')).toBe('restart'))
    expect(given[0]?.get('sn')).toBe(SN)
  })

  it('offers no commands to the configure scope', async () => {
    await openApp(`/electrician-dashboard/${SN}`)
    await screen.findByRole('region', { name: 'Diagnose' })
    expect(screen.queryByRole('region', { name: 'Befehle' })).toBeNull()
  })

  it('is not offered to the look scope', async () => {
    access = 'monitor'
    await openApp(`/electrician-dashboard/${SN}`)
    expect(await screen.findByText(/hat der Besitzer nicht freigegeben/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Namen ändern' })).toBeNull()
  })

  it('without access says so and links back', async () => {
    await openApp('/electrician-dashboard/SC99Z9999')
    expect(
      await screen.findByText(/nicht für Sie freigegeben, oder Ihr Zugang ist beendet/),
    ).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Zu allen Anlagen' })).toHaveAttribute(
      'href',
      '/electrician-dashboard',
    )
  })
})
