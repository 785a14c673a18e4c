import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { givenGrant } from '@/lib/testing/grants'
import { liveOf } from '@/lib/testing/live'
import { energyRow, pricesOf, saving, serveMoney } from '@/lib/testing/money'
import { planOf } from '@/lib/testing/plan'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { CalendarPage } from './calendar-page'

/** A grant of an electrician that ends soon. */
const ending = givenGrant({ sn: 'A', until_day: '2026-11-24' })

const open = (month: string) => renderPage(CalendarPage, `/here?month=${month}`)

/** A day of the month grid; phones have a list of the days, too. */
const day = async (name: RegExp) => within(await screen.findByRole('grid')).findByRole('link', { name })

beforeEach(() => {
  // Fakes only the date; timers go on.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 15, 11) })
  void startSession({ access: 'access', refresh: 'refresh', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'owner' }])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A'], { calibration_days: 12 }))),
    http.get('*/api/auth/plan/', () => HttpResponse.json(planOf())),
    http.get('*/api/auth/settings/', () =>
      HttpResponse.json([{ sn: 'A', desired: { charge_start: '22:00', charge_end: '06:00' } }]),
    ),
    http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [ending], held: [], handovers: [] })),
  )
  serveMoney({
    tariffs: [pricesOf('A')],
    savings: [saving('2026-10-25', -129, -80), saving('2026-11-14', 42, 362)],
    rows: [energyRow('2026-10-25'), energyRow('2026-11-14')],
  })
})
afterEach(() => {
  vi.useRealTimers()
  resetSessionStore()
})

describe('the calendar', () => {
  it('shows self-sufficiency, production, consumption and money of a day', async () => {
    await open('2026-11')
    const link = await day(
      /^Samstag, 14\. November 2026: Autarkie 93\s%, PV 35,2\skWh, Verbrauch 7,6\skWh, Kosten 0,42\s€$/,
    )
    expect(link).toHaveAttribute('href', '/charts?sn=A&date=2026-11-14')
  })

  it('links to the charts page', async () => {
    await open('2026-11')
    expect(screen.getByRole('link', { name: 'Diagramme' })).toHaveAttribute('href', '/charts')
  })

  it('marks a day without values', async () => {
    await open('2026-11')
    expect(await day(/^Freitag, 13\. November 2026: keine Werte$/)).toBeInTheDocument()
  })

  it('shows planned events on their days, which have no chart yet', async () => {
    await open('2026-11')
    const grid = await screen.findByRole('grid', { name: 'November 2026' })
    const planned = await within(grid).findByText('Freitag, 27. November 2026: Kalibrierung')
    expect(planned.closest('td')).toHaveAttribute('tabindex', '-1')
    expect(planned.closest('a')).toBeNull()
  })

  it('shows the last day of an electrician’s access', async () => {
    await open('2026-11')
    const grid = await screen.findByRole('grid', { name: 'November 2026' })
    expect(await within(grid).findByText('Dienstag, 24. November 2026: Zugang endet')).toBeInTheDocument()
  })

  it('shows the daily hours in which the battery may charge', async () => {
    await open('2026-11')
    const legend = await screen.findByRole('region', { name: 'So lesen Sie den Kalender' })
    expect(await within(legend).findByText('Jeden Tag: Laden von 22:00 bis 06:00')).toBeInTheDocument()
  })

  it('has each day of a month with a clock change once', async () => {
    await open('2026-10')
    const grid = await screen.findByRole('grid', { name: 'Oktober 2026' })
    await waitFor(() => expect(within(grid).getAllByRole('link')).toHaveLength(31))
    expect(within(grid).getAllByRole('link', { name: /, 25\. Oktober 2026/ })).toHaveLength(1)
    expect(await day(/25\. Oktober 2026: .*Einnahmen 1,29\s€$/)).toBeInTheDocument()
  })

  it('sums up the month, and shows what the battery saved', async () => {
    serveMoney({
      tariffs: [pricesOf('A')],
      savings: [saving('2026-11-13', 42, 362), saving('2026-11-14', 42, 362)],
      rows: [energyRow('2026-11-13'), energyRow('2026-11-14')],
    })
    await open('2026-11')
    const heading = await screen.findByRole('heading', { name: 'November 2026 zusammen' })
    const sums = heading.closest('section') as HTMLElement
    await waitFor(() => expect(sums).toHaveTextContent(/Erzeugt\s*70,4\skWh/))
    expect(sums).toHaveTextContent(/0,84\s€\s*Kosten/)
    expect(sums).toHaveTextContent(/Der Speicher hat 6,40\s€ gespart\./)
  })

  it('says if a month is empty', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [] })
    await open('2026-09')
    expect(await screen.findByText('Für diesen Monat gibt es keine Messwerte.')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Monat drucken' })).toBeDisabled()
  })

  it('offers a retry if it could not be loaded', async () => {
    server.use(http.get('*/api/auth/savings/', () => HttpResponse.json({}, { status: 403 })))
    await open('2026-11')
    expect(await screen.findByText('Der Monat ließ sich nicht vollständig laden')).toBeInTheDocument()
    expect(await day(/14\. November 2026: Autarkie 93\s%/)).toBeInTheDocument()
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving('2026-11-14', 42, 362)] })
    await userEvent.click(screen.getByRole('button', { name: 'Noch einmal versuchen' }))
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })

  it('shows an electrician no money, and does not request it', async () => {
    await startSession({ access: 'access', refresh: 'refresh', role: 'electrician' })
    const asked = vi.fn()
    server.use(http.get('*/api/auth/savings/', asked), http.get('*/api/auth/tariff/', asked))
    await open('2026-11')
    expect(await day(/14\. November 2026: .*Verbrauch 7,6\skWh$/)).toBeInTheDocument()
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('the arrow keys', () => {
  it('move from day to day, across the edge into the next month and back', async () => {
    await open('2026-11')
    const today = await day(/^Sonntag, 15\. November 2026/)
    expect(today).toHaveAttribute('tabindex', '0')
    today.focus()
    await userEvent.keyboard('{ArrowLeft}')
    expect(document.activeElement).toHaveAttribute('data-day', '2026-11-14')
    await userEvent.keyboard('{ArrowUp}{ArrowUp}')
    await waitFor(() => expect(document.activeElement).toHaveAttribute('data-day', '2026-10-31'))
    expect(await screen.findByRole('grid', { name: 'Oktober 2026' })).toBeInTheDocument()
    await userEvent.keyboard('{ArrowRight}')
    await waitFor(() => expect(document.activeElement).toHaveAttribute('data-day', '2026-11-01'))
  })

  it('stop after the last planned event', async () => {
    await open('2026-11')
    const today = await day(/^Sonntag, 15\. November 2026/)
    today.focus()
    await userEvent.keyboard('{PageDown}')
    expect(document.activeElement).toHaveAttribute('data-day', '2026-11-15')
  })
})
