import 'fake-indexeddb/auto'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
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

describe('the money card', () => {
  it('shows what today and the month cost, and what the battery saved', async () => {
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
    expect(screen.getByText(/^Der Speicher hat heute 3,20\s€ gespart\.$/)).toBeInTheDocument()
    expect(screen.getByText(/^Der Speicher hat diesen Monat 3,20\s€ gespart\.$/)).toBeInTheDocument()
    const sums = await figure(month)
    expect(sums).toHaveTextContent(/0,42\s€\s*Kosten/)
    expect(sums).toHaveTextContent(/Autarkie\s*93\s%/)
    expect(sums).toHaveTextContent(/Eigenverbrauch\s*49\s%/)
  })

  it('has a word for earnings, and no sign', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, -210, -300)] })
    await open()
    const today = await figure('Heute')
    expect(today).toHaveTextContent(/2,10\s€\s*Einnahmen/)
    expect(screen.getByText(/^Der Speicher hat heute bisher 0,90\s€ gekostet\./)).toHaveTextContent(
      'zählt erst, wenn Sie es nutzen',
    )
    expect(today.textContent).not.toMatch(/[-\u2212]\s?\d/)
  })

  it('never shows zero for an unknown amount', async () => {
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, null)] })
    await open()
    const today = await figure('Heute')
    expect(today).toHaveTextContent('nicht bekannt')
    expect(today).not.toHaveTextContent('0,00')
    expect(screen.queryByText(/Speicher/)).toBeNull()
  })

  it('has no sum for a month with a day without prices, and says why', async () => {
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

  it('links to the price form while there are no prices', async () => {
    serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [saving(TODAY, null)] })
    await open()
    expect(await screen.findByRole('link', { name: 'Strompreise eintragen' })).toHaveAttribute(
      'href',
      '/settings?part=prices',
    )
  })

  it('does not ask for prices from a member who may only look', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'look' }])),
    )
    serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [] })
    await open()
    expect(await screen.findByText('Sie sehen diesen Speicher nur an')).toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Strompreise eintragen' })).toBeNull()
  })

  it('does not let a member who may only look change prices', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'look' }])),
    )
    serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, 42, 362)], rows: [energyRow(TODAY)] })
    await open()
    await figure('Heute')
    expect(screen.queryByRole('link', { name: 'Preise ändern' })).toBeNull()
  })

  it('offers a retry when loading failed', async () => {
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
