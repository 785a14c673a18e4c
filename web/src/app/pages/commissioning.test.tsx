import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Candidate, Commissioning, Step } from '@/features/commissioning/model'
import { resetSessionStore } from '@/lib/session/session-store'
import { liveOf } from '@/lib/testing/live'
import { server } from '@/lib/testing/server'
import { logIn, openApp, serveSystems } from '../testing'

const SN = 'SC24A0001'
const TITLES = {
  units: 'Geräte und Außenleiter',
  phases: 'Vorzeichen und Außenleiter',
  instruction: 'Einweisung und Übergabe',
} as const
let commissioning: Commissioning | null
let candidates: Candidate[]

const step = (name: keyof typeof TITLES, special: Partial<Step> = {}): Step => ({
  step: name,
  title: TITLES[name],
  state: 'open',
  reason: null,
  text: null,
  sn: null,
  at: null,
  company: null,
  stated: {},
  ...special,
})

const begun = (special: Partial<Commissioning> = {}): Commissioning => ({
  id: 7,
  units: [SN],
  started_at: 0,
  steps: [
    step('units', { state: 'failed', reason: 'not_reporting', text: 'Der Speicher meldet sich nicht.' }),
    step('instruction'),
  ],
  phases: [],
  first_name: '',
  last_name: '',
  place: '',
  note: '',
  complete: false,
  ...special,
})

beforeEach(async () => {
  commissioning = null
  candidates = []
  await logIn('electrician')
  serveSystems([SN])
  server.use(http.get('*/api/auth/commissioning/', () => HttpResponse.json({ commissioning, candidates })))
})
afterEach(() => resetSessionStore())

const open = () => openApp(`/electrician-dashboard/${SN}/commissioning`)

describe('a commissioning', () => {
  it('is started with the units that the server offers, at its first step', async () => {
    server.use(
      http.post('*/api/auth/commissioning/', async ({ request }) => {
        expect(await request.text()).toBe(new URLSearchParams({ sn: `${SN},SC24A0002` }).toString())
        commissioning = begun()
        return HttpResponse.json(commissioning, { status: 201 })
      }),
    )
    candidates = [
      { sn: 'SC24A0002', phase: 2, first_name: 'Anna', last_name: 'Berg', place: 'Potsdam' },
      { sn: 'SC24A0003', phase: 3, first_name: '', last_name: '', place: '' },
    ]
    await open()
    const begin = await screen.findByRole('button', { name: 'Inbetriebnahme beginnen' })
    expect(screen.getByRole('checkbox', { name: 'SC24A0003 · L3' })).toBeInTheDocument()
    await userEvent.click(screen.getByRole('checkbox', { name: 'SC24A0002 · L2 · Anna Berg · Potsdam' }))
    await userEvent.click(begin)
    expect(await screen.findByText('0 von 2 Schritten erledigt')).toBeInTheDocument()
    expect(screen.getByText('Der Speicher meldet sich nicht.')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: /^Geräte und Außenleiter/ })).toHaveAttribute(
      'aria-expanded',
      'true',
    )
  })

  it('opens the next step after one has passed', async () => {
    commissioning = begun()
    server.use(
      http.post('*/api/auth/commissioning/7/step/', () => {
        const units = step('units', {
          state: 'passed',
          at: Date.UTC(2026, 10, 15, 12, 15),
          company: 'Elektro Blitz',
        })
        commissioning = begun({ steps: [units, step('instruction')] })
        return HttpResponse.json(commissioning)
      }),
    )
    await open()
    const units = within(await screen.findByRole('region', { name: TITLES.units }))
    await userEvent.click(units.getByRole('button', { name: 'Prüfen und bestätigen' }))
    const next = await screen.findByRole('button', { name: /^Einweisung/ })
    await waitFor(() => expect(next).toHaveAttribute('aria-expanded', 'true'))
    expect(screen.getByText('erledigt · Elektro Blitz · 15.11.2026 13:15')).toBeInTheDocument()
  })

  it('holds the battery by the server’s clock, whatever the phone’s says', async () => {
    const phase = { phase: 1, measured: true, before: null, after: null, rise: null, text: null }
    commissioning = begun({ steps: [step('phases')], phases: [phase] })
    const portal = Date.now() - 2 * 3_600_000
    const until: number[] = []
    server.use(
      http.get('*/api/auth/data/', () =>
        HttpResponse.json(liveOf([SN]), { headers: { Date: new Date(portal).toUTCString() } }),
      ),
      http.post('*/api/auth/command/', async ({ request }) => {
        until.push(Number(new URLSearchParams(await request.text()).get('until')))
        return HttpResponse.json({ id: 1, state: 'sent' }, { status: 202 })
      }),
    )
    await open()
    // The meter's reading contains the server's time.
    await screen.findByText(/1,4\skW/)
    await userEvent.click(await screen.findByRole('button', { name: 'Speicher anhalten' }))
    await waitFor(() => expect(until).toHaveLength(1))
    const minutes = ((until[0] ?? 0) - portal) / 60_000
    expect(minutes).toBeGreaterThan(29)
    expect(minutes).toBeLessThan(32)
  })

  it('names the open steps that prevent finishing', async () => {
    commissioning = begun()
    server.use(
      http.post('*/api/auth/commissioning/7/finish/', () =>
        HttpResponse.json(
          { detail: 'Noch sind nicht alle Schritte erledigt.', code: 'steps_open', open: begun().steps },
          { status: 409 },
        ),
      ),
    )
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Abschließen' }))
    expect(await screen.findByText('Noch nicht abgeschlossen')).toBeInTheDocument()
    const list = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(list).toEqual(expect.arrayContaining([TITLES.units, TITLES.instruction]))
  })

  it('links to its protocol, which can be downloaded', async () => {
    commissioning = begun({ complete: true })
    const protocol = { id: 7, number: `${SN}-1`, finished_at: 0, company: 'Elektro Blitz', units: [SN] }
    const rows = [{ label: 'Name', value: 'Łukasz Čačić' }]
    const sections = [{ title: 'Kunde', rows, table: null, text: null }]
    const sheet = { title: 'Inbetriebnahmeprotokoll', subtitle: '', number: '', sections, signatures: [] }
    server.use(
      http.post('*/api/auth/commissioning/7/finish/', () => HttpResponse.json(protocol, { status: 201 })),
      http.get('*/api/auth/commissioning/protocol/7/', () => HttpResponse.json({ ...protocol, sheet })),
    )
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Abschließen' }))
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Inbetriebnahmeprotokoll' }),
    ).toBeInTheDocument()
    expect(await screen.findByText('Łukasz Čačić')).toBeInTheDocument()
    expect(
      screen.getByRole('button', { name: `Protokoll ${SN}-1 als PDF herunterladen` }),
    ).toBeInTheDocument()
  })
})
