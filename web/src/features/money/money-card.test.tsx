import 'fake-indexeddb/auto'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { liveOf } from '@/lib/testing/live'
import { energyRow, pricesOf, saving, serveMoney, TODAY } from '@/lib/testing/money'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { MoneyCard } from './money-card'

const open = () =>
  renderPage(() => (
    <>
      <h1>page</h1>
      <MoneyCard />
    </>
  ))

/** The part of the card under a heading. */
async function figure(name: string | RegExp) {
  const heading = await screen.findByRole('heading', { level: 3, name })
  return heading.parentElement as HTMLElement
}

const month = new Intl.DateTimeFormat('de', { month: 'long', year: 'numeric' }).format(
  new Date(`${TODAY}T12:00:00Z`),
)

beforeEach(() => {
  void startSession({ access: 'access', refresh: 'refresh', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'owner' }])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A']))),
  )
})
afterEach(() => resetSessionStore())

describe('money at a glance', () => {
  it('says what today and the month cost, and what the battery saved', async () => {
    serveMoney({
      tariffs: [pricesOf('A')],
      savings: [saving(TODAY, 42, 362)],
      rows: [energyRow(TODAY)],
    })
    await open()
    const today = await figure('Heute')
    expect(today).toHaveTextContent(/0,42\s€\s*Kosten/)
    expect(today).toHaveTextContent(/Strom aus dem Netz\s*1,32\s€/)
    expect(today).toHaveTextContent(/Einspeisung\s*0,90\s€/)
    expect(today).toHaveTextContent(/Ohne Speicher wären es 3,20\s€ mehr gewesen\./)
    const sums = await figure(month)
    expect(sums).toHaveTextContent(/0,42\s€\s*Kosten/)
    expect(sums).toHaveTextContent(/Autarkie\s*93\s%/)
    expect(sums).toHaveTextContent(/Eigenverbrauch\s*49\s%/)
  })

  it('has a word for what was earned, and no sign', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, -210, -300)] })
    await open()
    const today = await figure('Heute')
    expect(today).toHaveTextContent(/2,10\s€\s*Einnahmen/)
    expect(today).toHaveTextContent(/Ohne Speicher hätten Sie 0,90\s€ mehr eingenommen\./)
    expect(today).toHaveTextContent('zählt erst, wenn Sie es nutzen')
    expect(today.textContent).not.toMatch(/[-\u2212]\s?\d/)
  })

  it('never shows a zero for what is not known', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, null)] })
    await open()
    const today = await figure('Heute')
    expect(today).toHaveTextContent('nicht bekannt')
    expect(today).not.toHaveTextContent('0,00')
    expect(today).not.toHaveTextContent('Ohne Speicher')
  })

  it('has no sum for a month with a day that has no price, and says why', async () => {
    const other = TODAY.endsWith('-01') ? `${TODAY.slice(0, 8)}02` : `${TODAY.slice(0, 8)}01`
    serveMoney({
      tariffs: [pricesOf('A')],
      savings: [saving(TODAY, 42, 362), saving(other, null)],
      rows: [energyRow(TODAY), energyRow(other)],
    })
    await open()
    const sums = await figure(month)
    expect(sums).toHaveTextContent('nicht bekannt')
    expect(sums).toHaveTextContent('Für 1 Tag ist kein Preis bekannt')
  })

  it('asks for prices where there are none, and takes them', async () => {
    serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [saving(TODAY, null)] })
    let sent = ''
    server.use(
      http.post('*/api/auth/tariff/', async ({ request }) => {
        sent = await request.text()
        serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, 42, 362)] })
        return HttpResponse.json([pricesOf('A')])
      }),
    )
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Strompreise eintragen' }))
    const dialog = await screen.findByRole('dialog', { name: 'Strompreise' })
    fill('Preis für Strom aus dem Netz in ct/kWh', '32,5')
    fill('Vergütung für Einspeisung in ct/kWh', '8,10')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Preise speichern' }))
    expect(await figure('Heute')).toHaveTextContent(/0,42\s€\s*Kosten/)
    expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
      sn: 'A',
      import_price: '32,5',
      feed_in_price: '8,10',
      from: 'null',
    })
  })

  it('asks nobody for prices who only looks', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'look' }])),
    )
    serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [] })
    await open()
    expect(await screen.findByText('Sie sehen diesen Speicher nur an')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Strompreise eintragen' })).toBeNull()
  })

  it('lets nobody change prices who only looks', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'look' }])),
    )
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, 42, 362)], rows: [energyRow(TODAY)] })
    await open()
    await figure('Heute')
    expect(screen.queryByRole('button', { name: 'Preise ändern' })).toBeNull()
  })

  it('shows at the field what the server does not take, and keeps what was typed', async () => {
    serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [] })
    server.use(
      http.post('*/api/auth/tariff/', () =>
        HttpResponse.json(
          { from: ['Zu weit in der Zukunft.'], codes: { from: ['date_too_late'] } },
          { status: 400 },
        ),
      ),
    )
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Strompreise eintragen' }))
    fill('Preis für Strom aus dem Netz in ct/kWh', '32')
    fill('Vergütung für Einspeisung in ct/kWh', '0')
    fill('Gilt', 'day')
    fill('Erster Tag mit diesen Preisen', '2030-01-01')
    await userEvent.click(screen.getByRole('button', { name: 'Preise speichern' }))
    expect(await screen.findByText('Zu weit in der Zukunft.')).toBeInTheDocument()
    expect(screen.getByLabelText('Erster Tag mit diesen Preisen')).toHaveAttribute('aria-invalid', 'true')
    expect(screen.getByLabelText('Preis für Strom aus dem Netz in ct/kWh')).toHaveValue('32')
  })

  it('offers another try when it could not be loaded', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, 42, 362)] })
    let broken = true
    server.use(
      http.get('*/api/auth/savings/', () =>
        broken
          ? HttpResponse.json({ detail: 'Gesperrt.', code: 'forbidden' }, { status: 403 })
          : HttpResponse.json([saving(TODAY, 42, 362)]),
      ),
    )
    await open()
    expect(await screen.findByText('Gesperrt.')).toBeInTheDocument()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Noch einmal versuchen' }))
    expect(await figure('Heute')).toHaveTextContent(/0,42\s€/)
  })
})
