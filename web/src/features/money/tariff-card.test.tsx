import 'fake-indexeddb/auto'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { liveOf } from '@/lib/testing/live'
import { pricesOf, saving, serveMoney, TODAY } from '@/lib/testing/money'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { TariffCard } from './tariff-card'

const open = async () => {
  await renderPage(() => (
    <>
      <h1>page</h1>
      <TariffCard />
    </>
  ))
  await screen.findByLabelText('Gilt')
}
const save = () => userEvent.click(screen.getByRole('button', { name: 'Preise speichern' }))

beforeEach(() => {
  void startSession({ access: 'access', refresh: 'refresh', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access: 'owner' }])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A']))),
  )
  serveMoney({ tariffs: [{ ...pricesOf('A'), tariffs: [] }], savings: [saving(TODAY, null)] })
})
afterEach(() => resetSessionStore())

describe('the card of electricity prices', () => {
  it('saves new prices, and adds them to the list', async () => {
    let sent = ''
    server.use(
      http.post('*/api/auth/tariff/', async ({ request }) => {
        sent = await request.text()
        serveMoney({ tariffs: [pricesOf('A')], savings: [saving(TODAY, 42, 362)] })
        return HttpResponse.json([pricesOf('A')])
      }),
    )
    await open()
    fill('Preis für Strom aus dem Netz in ct/kWh', '32,5')
    fill('Vergütung für Einspeisung in ct/kWh', '8,10')
    await save()
    const card = within(screen.getByRole('region', { name: 'Strompreise' }))
    expect(await card.findByRole('listitem')).toHaveTextContent(/^Von Anfang an/)
    expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
      sn: 'A',
      import_price: '32,5',
      feed_in_price: '8,10',
      from: 'null',
    })
  })

  it("shows the server's errors at their fields, and keeps what was typed", async () => {
    server.use(
      http.post('*/api/auth/tariff/', () =>
        HttpResponse.json(
          { from: ['Zu weit in der Zukunft.'], codes: { from: ['date_too_late'] } },
          { status: 400 },
        ),
      ),
    )
    await open()
    fill('Preis für Strom aus dem Netz in ct/kWh', '32')
    fill('Vergütung für Einspeisung in ct/kWh', '0')
    fill('Gilt', 'day')
    fill('Erster Tag mit diesen Preisen', '2030-01-01')
    await save()
    expect(await screen.findByText('Zu weit in der Zukunft.')).toBeInTheDocument()
    expect(screen.getByLabelText('Erster Tag mit diesen Preisen')).toHaveAttribute('aria-invalid', 'true')
    expect(screen.getByLabelText('Preis für Strom aus dem Netz in ct/kWh')).toHaveValue('32')
  })
})
