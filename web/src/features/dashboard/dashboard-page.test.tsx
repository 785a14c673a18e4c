import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MessagesCard } from '@/components/live/messages-card'
import type { Live, LiveDocument, LiveEntry } from '@/lib/live/live'
import { LiveUpdates } from '@/lib/live/live-updates'
import { queryClient } from '@/lib/query-client'
import { page } from '@/lib/session/page'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { isAuthenticated } from '@/lib/session/tokens'
import { givenGrant } from '@/lib/testing/grants'
import { emptyGraph, liveEntry, liveOf } from '@/lib/testing/live'
import { noForecast, planOf } from '@/lib/testing/plan'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { DashboardPage } from './dashboard-page'
import { OutlookCard } from './outlook-card'
import { WeatherNotice } from './weather-notice'

const today = { m2: 500, m2N: -17_900, m4: 35_200, m5: 1_900, m5N: -12_100 }
const totals = Object.fromEntries(
  Object.entries(today).map(([code, wattHours]) => [`total_${code}`, wattHours]),
)

/** A server with these systems, which all have the same entry. */
function serve(serials: string[], special: Partial<LiveEntry> = {}, energies: object = totals) {
  server.use(
    http.get('*/api/auth/usr_sn/', () =>
      HttpResponse.json(serials.map((sn, index) => ({ sn, phase: index + 1, access: 'owner' }))),
    ),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(serials, special))),
    http.get('*/api/auth/stream/', () => HttpResponse.error()),
    http.get('*/api/auth/graph/', () => HttpResponse.json(emptyGraph)),
    http.get('*/api/auth/energy_chart/', () => HttpResponse.json([{ sn: 'A', rows: [], ...energies }])),
    http.get('*/api/auth/plan/', () => HttpResponse.json(planOf())),
    http.get('*/api/auth/forecast/', () => HttpResponse.json(noForecast)),
    http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [], held: [], handovers: [] })),
  )
}

/** @param known cached live data of the last visit */
const open = (known?: Live) =>
  renderPage(() => {
    useState(() => known && queryClient.setQueryData(['live', 'de'], known))
    return (
      <>
        <LiveUpdates />
        <DashboardPage
          alarms={() => null}
          decisions={null}
          endInForce={({ kind }, sn) => <button type="button">{`end ${kind} of ${sn}`}</button>}
          weather={<WeatherNotice />}
          money={null}
          chart={null}
          plan={null}
          messages={(reading) => <MessagesCard reading={reading} />}
          energy={null}
          systems={null}
          outlook={<OutlookCard />}
        />
      </>
    )
  })

/** The text of a card, found by its heading. */
async function card(name: string) {
  const heading = await screen.findByRole('heading', { name })
  return heading.closest('article')?.textContent
}

beforeEach(() => startSession({ access: 'access', refresh: 'refresh', role: 'user' }))
afterEach(() => resetSessionStore())

describe('the dashboard', () => {
  it('shows the six values with words instead of signs', async () => {
    serve(['A'])
    await open()
    expect(await card('PV-Leistung')).toContain('7,0kW')
    expect(await card('Speicherleistung')).toContain('1,9kWlädt')
    expect(await card('Ladestand')).toContain('91%')
    expect(await card('Netzleistung')).toContain('4,3kWEinspeisung')
    expect(await card('Netzspannung')).toContain('232,4V')
    await waitFor(async () => expect(await card('Energie heute')).toContain('7,6kWh35,2\u202fkWh erzeugt'))
  })

  it.each([[['A']], [['A', 'B', 'C']]])(
    'widens the range of today by the charge of now, for %s',
    async (serials) => {
      serve(serials, { SOC: 31, PV_power: 900 })
      const graph = { ...emptyGraph, time: [1, 2], series: { m3: [17, 29], m6: [100, 800] } }
      server.use(http.get('*/api/auth/graph/', () => HttpResponse.json(graph)))
      await open()
      await waitFor(async () => expect(await card('Ladestand')).toContain('31%heute 17 bis 31\u202f%'))
      expect(await card('PV-Leistung')).toMatch(/900W.*900\sW/)
    },
  )

  it('shows the energy flow as a sentence and a list', async () => {
    serve(['A'])
    await open()
    expect(await screen.findByRole('heading', { name: 'Ihr Haus läuft mit Sonne.' })).toBeInTheDocument()
    expect(screen.getByText(/^Von der Photovoltaik in den Speicher: 1,9\skW$/)).toBeInTheDocument()
    expect(screen.getByText(/^Netz: Einspeisung 4,3\skW$/)).toBeInTheDocument()
  })

  it('shows a dash for what was not measured, never a zero', async () => {
    serve(['A'], { grid_power: null, m8: null }, {})
    await open()
    expect(await card('Netzleistung')).toContain('–nicht bekannt')
    expect(await card('Energie heute')).toContain('–nicht bekannt')
    expect(screen.getByRole('heading', { name: 'Es fehlen Messwerte.' })).toBeInTheDocument()
  })

  it('shows the last values of a silent battery with their time, and no flows', async () => {
    const at = Date.now() - 3 * 3_600_000
    serve(['A'], { online: false, measured_at: at, state_since_at: at })
    await open()
    expect(
      await screen.findByRole('heading', { name: 'Ihr Speicher meldet sich nicht.' }),
    ).toBeInTheDocument()
    expect(screen.getByText(/^Offline seit /)).toBeInTheDocument()
    expect(await card('PV-Leistung')).toContain('Stand ')
    expect(screen.queryByText(/^Live/)).toBeNull()
    expect(screen.queryByText(/^Von der Photovoltaik/)).toBeNull()
  })

  it('shows what is in force, since when and by whom, and offers to end it', async () => {
    const at = Date.now()
    const pause = { kind: 'pause', since: at - 60_000, until: at + 3_600_000, by: 'you', end: 'auto' }
    const limit = { kind: 'grid_limit', since: at, until: null, by: 'grid_operator', end: null, power: 4_200 }
    serve(['A'], { in_force: [limit, pause] })
    await open()
    const list = within(await screen.findByRole('region', { name: 'Was gerade gilt' }))
    const [first, second] = list.getAllByRole('listitem')
    expect(first).toHaveTextContent(
      /Netzbetreiber begrenzt das Laden aus dem Netz auf 4,2\skW \(§14a EnWG\)seit/,
    )
    expect(second).toHaveTextContent(/^Pause bis .*seit .* · von Ihnen/)
    expect(list.getAllByRole('button')).toEqual([list.getByRole('button', { name: 'end pause of A' })])
    expect(screen.getByRole('heading', { name: 'Ihr Speicher macht Pause.' })).toBeInTheDocument()
    expect(screen.getByText('Keine Fehlermeldungen.')).toBeInTheDocument()
  })

  it('mentions the update, not the main switch, while one is under way', async () => {
    const update = { kind: 'update', since: 0, until: null, by: 'you', end: null, state: 'running' }
    const message2 = { ...liveEntry().message2, aus: true }
    serve(['A'], {
      in_force: [{ ...update, part: 1, parts: 2, progress: 40 }],
      message2,
      battery_status: 'off',
    })
    await open()
    expect(await screen.findByText(/^Update: Teil 1 von 2, 40\s%$/)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Zum Update' })).toHaveAttribute('href', '/update?sn=A')
    expect(
      screen.getByRole('heading', { name: 'Ihr Speicher wird gerade aktualisiert.' }),
    ).toBeInTheDocument()
    expect(screen.queryByText(/Hauptschalter/)).toBeNull()
  })

  it('names the system of what is in force, if there are several', async () => {
    const charge = { kind: 'charge', since: 0, until: null, by: null, end: 'auto', soc: 80, sn: 'B' }
    serve(['A', 'B'], { in_force: [charge] })
    await open()
    const list = within(await screen.findByRole('region', { name: 'Was gerade gilt' }))
    expect(list.getByRole('listitem')).toHaveTextContent(/^Lädt bis 80\s%B · seit/)
  })

  it('names the system of a held reserve, below what is more important', async () => {
    const reserve = { kind: 'reserve', since: 0, until: null, by: null, end: null, soc: 10, sn: 'A' }
    serve(['A', 'B'], { in_force: [reserve, { ...reserve, kind: 'pause', sn: 'B' }] })
    await open()
    const list = within(await screen.findByRole('region', { name: 'Was gerade gilt' }))
    const [first, second] = list.getAllByRole('listitem')
    expect(first).toHaveTextContent(/^PauseB · seit/)
    expect(second).toHaveTextContent(/^A: Der Speicher hält 10\s% als Reserve$/)
  })

  it('shows nothing if nothing is in force', async () => {
    serve(['A'])
    await open()
    await screen.findByRole('heading', { name: 'Ihr Haus läuft mit Sonne.' })
    expect(screen.queryByRole('region', { name: 'Was gerade gilt' })).toBeNull()
    expect(screen.getByText('Keine Fehler. Alles in Ordnung.')).toBeInTheDocument()
  })

  it('sums up the reporting systems, and says how many they are', async () => {
    serve(['A', 'B', 'C'], { reporting: 2, systems: 3 })
    await open()
    expect(await screen.findByText('2 von 3 Anlagen')).toBeInTheDocument()
  })

  it('names the system that the sum lacks, and gives no all-clear', async () => {
    serve(['A', 'B'])
    server.use(
      http.get('*/api/auth/data/', () =>
        HttpResponse.json({
          ...liveOf([]),
          data: [
            { A: liveEntry() },
            { SC24A0002: liveEntry({ online: false }) },
            { '-1': liveEntry({ reporting: 1, systems: 2 }) },
          ],
        }),
      ),
    )
    await open()
    expect(await screen.findByText('ohne SC24A0002')).toBeInTheDocument()
    expect(await screen.findByText('SC24A0002 meldet sich nicht')).toBeInTheDocument()
    expect(screen.queryByText('Keine Fehler. Alles in Ordnung.')).toBeNull()
  })

  it('treats a lost connection neither as a logout nor as an empty house', async () => {
    vi.spyOn(page, 'goTo').mockImplementation(() => undefined)
    serve(['A'])
    let broken = false
    server.use(
      http.get('*/api/auth/data/', () => (broken ? HttpResponse.error() : HttpResponse.json(liveOf(['A'])))),
    )
    const { refetchLive } = await openAndRefetch()
    broken = true
    await refetchLive()
    expect(await screen.findByText('Keine Verbindung', {}, { timeout: 15_000 })).toBeInTheDocument()
    expect(await card('PV-Leistung')).toContain('7,0kW')
    expect(isAuthenticated()).toBe(true)
    expect(page.goTo).not.toHaveBeenCalled()
  }, 10_000)

  it('says that the values are the last ones while new ones are loading', async () => {
    serve(['A'])
    server.use(http.get('*/api/auth/data/', () => new Promise(() => undefined)))
    const at = Date.now() - 600_000
    const entries = { A: liveEntry({ measured_at: at, received_at: at }) }
    await open({ entries, skew: 0 })
    void queryClient.refetchQueries({ queryKey: ['live'] })
    expect(await screen.findByRole('heading', { name: 'Das war Ihr letzter Stand.' })).toBeInTheDocument()
    expect(screen.queryByText(/^Live/)).toBeNull()
  })

  it('shows the day’s sums with their time if they are older than now', async () => {
    const at = Date.now() - 120_000
    serve(['A'], { online: false, measured_at: at })
    await open()
    const time = new Date(at).toLocaleTimeString('de', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Europe/Berlin',
    })
    await waitFor(async () =>
      expect(await card('Energie heute')).toMatch(new RegExp(`7,6kWhStand .*${time}$`)),
    )
    expect(screen.getByRole('region', { name: 'Heute' })).toHaveTextContent(time)
  })

  it('updates with the event stream', async () => {
    serve(['A'])
    const event: LiveDocument = {
      data: [{ A: liveEntry({ PV_power: 2_500, received_at: Date.now() + 5_000 }) }],
      message3: {},
      message5: {},
      message6: {},
    }
    server.use(
      http.get('*/api/auth/stream/', () => {
        const text = `id: 1\nevent: data\ndata: ${JSON.stringify(event)}\n\n`
        return new HttpResponse(new Blob([text]).stream())
      }),
    )
    await open()
    await waitFor(async () => expect(await card('PV-Leistung')).toContain('2,5kW'))
  })
})

describe('the bad-weather notice', () => {
  it('says that the storage may reach 0 %, is protected, and that the main switch should stay on, until it is over', async () => {
    serve(['A'])
    let since: number | null = Date.now()
    server.use(
      http.get('*/api/auth/plan/', () =>
        HttpResponse.json(planOf({ weather: { since, hits: 1, false_alarms: 0 } })),
      ),
    )
    await open()
    expect(await screen.findByText('Schlechtes Wetter erwartet')).toBeInTheDocument()
    expect(
      screen.getByText(/0 % erreichen.*Erhaltungsladung.*Hauptschalter eingeschaltet/),
    ).toBeInTheDocument()
    since = null
    await queryClient.refetchQueries({ queryKey: ['plan'] })
    await waitFor(() => expect(screen.queryByText('Schlechtes Wetter erwartet')).toBeNull())
  })

  it('is hidden without a reason', async () => {
    serve(['A'])
    await open()
    await card('PV-Leistung')
    expect(screen.queryByText('Schlechtes Wetter erwartet')).toBeNull()
  })
})

describe('the outlook', () => {
  it('shows tomorrow’s forecast, and links to its chart', async () => {
    serve(['A'])
    const from = Math.floor(Date.now() / 900_000) * 900_000
    const points = (p50: number) =>
      Array.from({ length: 192 }, (_, place) => ({
        start: from + place * 900_000,
        p10: 0,
        p50,
        p90: 2 * p50,
      }))
    server.use(
      http.get('*/api/auth/forecast/', () =>
        HttpResponse.json({ ...noForecast, issued: from, pv: points(500), load: points(400) }),
      ),
    )
    await open()
    const outlook = await screen.findByRole('region', { name: 'Ausblick' })
    expect(await within(outlook).findByText(/Morgen etwa \d+,\d\skWh Sonne/)).toBeInTheDocument()
    expect(within(outlook).getByRole('link', { name: 'Verlauf ansehen' })).toHaveAttribute(
      'href',
      expect.stringMatching(/^\/charts\?/),
    )
  })

  it('has a place for upcoming events, and invents nothing', async () => {
    serve(['A'])
    await open()
    const outlook = await screen.findByRole('region', { name: 'Ausblick' })
    expect(await within(outlook).findByText(/noch keine Prognose/)).toBeInTheDocument()
    expect(within(outlook).getByText('Kein Update verfügbar')).toBeInTheDocument()
    expect(within(outlook).getByText(/Kein Elektriker/)).toBeInTheDocument()
  })

  it('names the electrician with contact links, and pending decisions', async () => {
    serve(['A'])
    const installer = {
      company: 'Elektro Sonnenberg',
      email: 'electrician@example.com',
      phone: '+4930901820',
      scope: 'service',
      state: 'active',
      until: Date.UTC(2027, 1, 14) - 3_600_000,
    }
    const given = [givenGrant({ state: 'asked' }), givenGrant({ id: 2 })]
    server.use(
      http.get('*/api/auth/usr_sn/', () =>
        HttpResponse.json([{ sn: 'A', phase: 1, access: 'owner', installer }]),
      ),
      http.get('*/api/auth/grant/', () => HttpResponse.json({ given, held: [], handovers: [] })),
    )
    await open()
    const outlook = await screen.findByRole('region', { name: 'Ausblick' })
    expect(await within(outlook).findByText('Elektro Sonnenberg')).toBeInTheDocument()
    expect(within(outlook).getByText('bis 13. Februar 2027')).toBeInTheDocument()
    expect(within(outlook).getByRole('link', { name: '+4930901820' })).toHaveAttribute(
      'href',
      'tel:+4930901820',
    )
    const waiting = await within(outlook).findByRole('link', { name: 'Eine Entscheidung wartet' })
    expect(waiting).toHaveAttribute('href', '/settings#grants')
  })

  it('links to a waiting update', async () => {
    serve(['A'], { updatable: true })
    await open()
    expect(await screen.findByRole('link', { name: 'Update für 1 Anlage' })).toHaveAttribute(
      'href',
      '/update',
    )
  })
})

describe('the messages', () => {
  const message = (minute: number, code: string) => ({
    time: `2026-11-15 08:${String(minute).padStart(2, '0')}:00`,
    code,
    text: `${code} ${minute}`,
    on: true,
  })

  it('are shown ten per page, without those that have no time', async () => {
    const trips = Array.from({ length: 12 }, (_, minute) => message(minute, 'na_u_high'))
    serve(['A'], {
      last_messages: [
        ...trips,
        message(20, 'bms_fault'),
        { ...message(0, 'hw_fault'), time: '2000-0-0 0:0:0' },
      ],
    })
    await open()
    expect(await screen.findAllByText(/^na_u_high/)).toHaveLength(10)
    expect(screen.getByText('bms_fault 20')).toBeInTheDocument()
    expect(screen.queryByText(/hw_fault/)).toBeNull()
    const pages = screen.getByRole('navigation', { name: 'Seiten: Netz- und Anlagenschutz' })
    await userEvent.click(within(pages).getByRole('button', { name: 'Seite 2' }))
    expect(screen.getAllByText(/^na_u_high/)).toHaveLength(2)
    expect(screen.getByText('15.11.2026 08:11')).toBeInTheDocument()
  })

  it('explain the set flags and count the days to the calibration', async () => {
    const { message2 } = liveEntry()
    serve(['A'], { message2: { ...message2, sm1: true }, calibration_days: 12 })
    await open()
    expect(await screen.findByText('Der Stromzähler antwortet nicht')).toBeInTheDocument()
    expect(screen.getByText(/prüfen Sie, ob der Zähler Strom hat/)).toBeInTheDocument()
    expect(screen.getByText('Kalibrierung in 12 Tagen')).toBeInTheDocument()
  })
})

/** The page, and a function that runs the 30 s refresh at once. */
async function openAndRefetch() {
  await open()
  await screen.findByRole('heading', { name: 'PV-Leistung' })
  return { refetchLive: () => queryClient.refetchQueries({ queryKey: ['live'] }) }
}
