import 'fake-indexeddb/auto'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { heldGrant } from '@/lib/testing/grants'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { FleetPage } from './fleet-page'
import { fleetOf, type Special } from './testing'

/** What the firmware's own screens draw is theirs to test. */
const Page = () => <FleetPage firmware={(rows, open) => open && <p>{`firmware of ${rows.length}`}</p>} />

const FLEET: Special[] = [
  { sn: 'SC24A0001', first_name: 'Katrin', last_name: 'Albers', group_name: 'Süd' },
  {
    sn: 'SC24A0002',
    last_name: 'Kovač',
    place: 'Würzburg',
    live: { online: false, PV_power: 900, state_since_at: Date.now() - 3 * 86_400_000 },
  },
  { sn: 'SC24A0003', last_name: 'Petit', live: { updatable: true } },
  { sn: 'SC24A0004', last_name: '=Böse', live: { battery_status: 'fault' } },
]

function serve(fleet: readonly Special[]) {
  const { systems, entries } = fleetOf(fleet, Date.now())
  const data = Object.entries(entries).map(([sn, entry]) => ({ [sn]: entry }))
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json(systems)),
    http.get('*/api/auth/data/', () => HttpResponse.json({ data, message3: {}, message5: {}, message6: {} })),
    http.get('*/api/auth/stream/', () => HttpResponse.error()),
    http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [], held: [], handovers: [] })),
  )
}

beforeEach(async () => {
  await startSession({ access: 'access', refresh: 'refresh', role: 'electrician' })
})
afterEach(() => resetSessionStore())

const open = async (at = '/here') => {
  await renderPage(Page, at)
  return screen.findByRole('table', { name: 'Anlagen' })
}
const serials = (table: HTMLElement) =>
  within(table)
    .getAllByRole('link')
    .map(({ textContent }) => textContent)
const rowOf = (table: HTMLElement, sn: string) => within(table).getByRole('link', { name: sn }).closest('tr')

describe('what is in force', () => {
  const one = { since: Date.now(), until: null, by: null, end: null }

  it('is the state of its system and has a chip', async () => {
    const update = { ...one, kind: 'update', state: 'running', part: 1, parts: 2, progress: 40 }
    serve([
      { sn: 'SC24A0001', live: { in_force: [update] } },
      { sn: 'SC24A0002', live: { in_force: [{ ...update, state: 'waits_for_switch', switch: 'off' }] } },
      { sn: 'SC24A0003', live: { in_force: [{ ...one, kind: 'grid_limit', power: 4_200 }] } },
      { sn: 'SC24A0004' },
    ])
    const table = await open()
    expect(rowOf(table, 'SC24A0001')).toHaveTextContent(/Update läuft, 40\s%/)
    expect(rowOf(table, 'SC24A0002')).toHaveTextContent('Wartet auf Hauptschalter')
    expect(rowOf(table, 'SC24A0003')).toHaveTextContent(/Begrenzt auf 4,2\skW/)
    expect(rowOf(table, 'SC24A0004')).toHaveTextContent('In Ordnung')
    expect(screen.queryByRole('button', { name: /^Pause/ })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: /^Wartet auf Hauptschalter\s*1$/ }))
    await waitFor(() => expect(serials(table)).toEqual(['SC24A0002']))
  })
})

describe('what waits for the electrician', () => {
  it('stands before the table, each with the way to it', async () => {
    const switching = { kind: 'update', state: 'waits_for_switch', switch: 'off', since: 0, until: null }
    serve([
      { sn: 'SC24A0001', live: { in_force: [{ ...switching, by: null, end: null }] } },
      { sn: 'SC24A0002', commissioning: 'in_progress' },
    ])
    const held = [
      heldGrant({ id: 1, sn: 'SC24B0001', state: 'invited' }),
      heldGrant({ id: 2, sn: 'SC24A0002' }),
    ]
    server.use(http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [], held, handovers: [] })))
    await open()
    const card = within(await screen.findByRole('region', { name: 'Wartet auf Sie' }))
    await waitFor(() => expect(card.getAllByRole('link')).toHaveLength(4))
    const lines = card.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
    expect(lines).toEqual([
      [
        expect.stringContaining('Ein Update wartet auf den Hauptschalter'),
        '/electrician-dashboard?show=switch',
      ],
      [expect.stringContaining('Eine Einladung wartet'), '/electrician-settings#grants'],
      [expect.stringContaining('Ein Zugang endet bald'), '/electrician-settings#grants'],
      [
        expect.stringContaining('Eine Inbetriebnahme ist noch offen'),
        '/electrician-dashboard/SC24A0002/commissioning',
      ],
    ])
  })

  it('is no card when nothing does', async () => {
    serve([{ sn: 'SC24A0001' }])
    await open()
    expect(screen.queryByRole('region', { name: 'Wartet auf Sie' })).toBeNull()
  })
})

describe('the fleet on a phone', () => {
  beforeEach(() => {
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
  })
  afterEach(() => vi.unstubAllGlobals())

  it('is sorted, and its cards are ticked for what the table does', async () => {
    serve(FLEET)
    await renderPage(Page)
    const cards = () =>
      screen.getAllByRole('article').map((card) => within(card).getByRole('link').textContent)
    expect(await screen.findAllByRole('article')).toHaveLength(4)
    await userEvent.selectOptions(screen.getByLabelText('Sortieren nach'), 'Kunde')
    await waitFor(() => expect(cards()).toEqual(['=Böse', 'Albers, Katrin', 'Kovač', 'Petit']))
    await userEvent.click(screen.getByRole('button', { name: 'Aufsteigend; umkehren' }))
    await waitFor(() => expect(cards()).toEqual(['Petit', 'Kovač', 'Albers, Katrin', '=Böse']))
    await userEvent.click(screen.getByRole('checkbox', { name: 'SC24A0003 auswählen' }))
    expect(screen.getByText('1 ausgewählt')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('checkbox', { name: 'Alle gezeigten Anlagen auswählen' }))
    expect(screen.getByText('4 ausgewählt')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Firmware aktualisieren' }))
    expect(await screen.findByText('firmware of 4')).toBeInTheDocument()
  })
})

describe('the fleet', () => {
  it('shows the worst first', async () => {
    serve(FLEET)
    expect(serials(await open())).toEqual(['SC24A0004', 'SC24A0002', 'SC24A0001', 'SC24A0003'])
  })

  it('says words and arrows for directions, and nothing of what is offline', async () => {
    serve(FLEET)
    const table = await open()
    expect(rowOf(table, 'SC24A0001')).toHaveTextContent(/7,0\skW/)
    expect(rowOf(table, 'SC24A0001')).toHaveTextContent(/lädt↓1,9\skW/)
    expect(rowOf(table, 'SC24A0001')).toHaveTextContent(/Einspeisung↑4,3\skW/)
    const away = rowOf(table, 'SC24A0002')
    expect(away).toHaveTextContent(/Offline3\sTg\./)
    expect(away).not.toHaveTextContent(/\d\s?k?W/)
    expect(away).toHaveTextContent('nicht bekannt')
  })

  it('filters by the counts at the top', async () => {
    serve(FLEET)
    const table = await open()
    await userEvent.click(screen.getByRole('button', { name: 'Offline 1' }))
    expect(serials(table)).toEqual(['SC24A0002'])
    await userEvent.click(screen.getByRole('button', { name: 'Update 1' }))
    expect(serials(table)).toEqual(['SC24A0003'])
    expect(screen.getByRole('button', { name: 'Update 1' })).toHaveAttribute('aria-pressed', 'true')
  })

  it('finds by search, without the letters of other languages too', async () => {
    serve(FLEET)
    const table = await open()
    await userEvent.type(screen.getByRole('searchbox'), 'kovac')
    expect(serials(table)).toEqual(['SC24A0002'])
    await userEvent.type(screen.getByRole('searchbox'), 'x')
    expect(await screen.findByText(/Keine Anlage passt/)).toBeInTheDocument()
  })

  it('finds by place, and shows it to whoever wants the column', async () => {
    serve(FLEET)
    localStorage.setItem('fleet_columns', 'customer,place')
    const table = await open('/here?q=wurzburg')
    expect(serials(table)).toEqual(['SC24A0002'])
    expect(within(table).getByRole('columnheader', { name: 'Ort' })).toBeInTheDocument()
    expect(rowOf(table, 'SC24A0002')).toHaveTextContent('Würzburg')
    localStorage.removeItem('fleet_columns')
  })

  it('sorts by column, and says so', async () => {
    serve(FLEET)
    const table = await open()
    await userEvent.click(within(table).getByRole('button', { name: 'Kunde' }))
    expect(serials(table)).toEqual(['SC24A0004', 'SC24A0001', 'SC24A0002', 'SC24A0003'])
    expect(within(table).getByRole('columnheader', { name: 'Kunde' })).toHaveAttribute(
      'aria-sort',
      'ascending',
    )
  })

  it('is restored by its address', async () => {
    serve(FLEET)
    const table = await open('/here?show=attention&sort=sn&down=true&q=SC24')
    expect(serials(table)).toEqual(['SC24A0004'])
    expect(screen.getByRole('searchbox')).toHaveValue('SC24')
  })

  it('draws only what is on screen of thousands', async () => {
    serve(Array.from({ length: 3_000 }, (_, index) => ({ sn: `SC${String(index).padStart(6, '0')}` })))
    const table = await open()
    expect(table).toHaveAttribute('aria-rowcount', '3001')
    expect(serials(table).length).toBeLessThan(60)
    expect(serials(table).length).toBeGreaterThan(15)
  })

  it('saves what is shown as a table that starts no formula', async () => {
    serve(FLEET)
    const table = await open()
    const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x')
    vi.spyOn(URL, 'revokeObjectURL').mockReturnValue(undefined)
    await userEvent.click(screen.getByRole('button', { name: 'Auffällig 1' }))
    expect(serials(table)).toEqual(['SC24A0004'])
    await userEvent.click(screen.getByRole('button', { name: 'CSV' }))
    const [[file]] = saved.mock.calls as [[Blob]]
    const text = await file.text()
    const [heading, row, end] = text.split('\r\n')
    expect(heading).toMatch(/^\ufeff?Status;Störung;Alarme;Seriennummer;Kunde;Gruppe;SOC \(%\);PV \(W\);/)
    expect(row).toContain("Störung;;;SC24A0004;'=Böse;;91;7000;1900;lädt;4340;Einspeisung;4.12 / 2.33")
    expect(end).toBe('')
  })

  it('puts what is ticked into a new group', async () => {
    serve(FLEET)
    const bodies: string[] = []
    server.use(
      http.get('*/api/auth/group/', () => HttpResponse.json([])),
      http.post('*/api/auth/group/', async ({ request }) => {
        bodies.push(await request.text())
        return HttpResponse.json({ id: 1, name: 'Nord', systems: [] }, { status: 201 })
      }),
    )
    const table = await open()
    await userEvent.click(within(table).getByRole('checkbox', { name: 'SC24A0002 auswählen' }))
    await userEvent.click(within(table).getByRole('checkbox', { name: 'SC24A0001 auswählen' }))
    expect(screen.getByText('2 ausgewählt')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Gruppe zuweisen' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(await dialog.findByLabelText('Name der Gruppe'), { target: { value: 'Nord' } })
    await userEvent.click(dialog.getByRole('button', { name: 'Gruppe zuweisen' }))
    await waitFor(() => expect(screen.queryByText('2 ausgewählt')).toBeNull())
    expect(bodies).toEqual(['name=Nord&sn=SC24A0001%2CSC24A0002'])
  })

  it('asks about the firmware of what is ticked', async () => {
    serve(FLEET)
    const table = await open()
    await userEvent.click(within(table).getByRole('checkbox', { name: 'SC24A0003 auswählen' }))
    await userEvent.click(screen.getByRole('button', { name: 'Firmware aktualisieren' }))
    expect(await screen.findByText('firmware of 1')).toBeInTheDocument()
  })

  it('that is empty says so and leads to the ways in', async () => {
    serve([])
    await renderPage(Page)
    expect(await screen.findByRole('link', { name: 'Zugang bekommen' })).toHaveAttribute(
      'href',
      '/electrician-settings#grants',
    )
  })
})
