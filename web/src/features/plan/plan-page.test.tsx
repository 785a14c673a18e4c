import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Plan } from '@/lib/data/plan'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { plusDays } from '@/lib/site-day'
import { fill } from '@/lib/testing/fill'
import { liveOf } from '@/lib/testing/live'
import { saving, TODAY } from '@/lib/testing/money'
import { block, planOf, steps } from '@/lib/testing/plan'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { PlanPage } from './plan-page'

const HOUR = 3_600_000
const soon = Math.ceil(Date.now() / HOUR) * HOUR
const made = (special: Partial<Plan> = {}) =>
  planOf({
    on: true,
    issued: soon - HOUR,
    blocks: [block({ start: soon, end: soon + 2 * HOUR })],
    steps: steps(soon),
    ...special,
  })

/** Serves the plan. Returns the submitted forms; each changes the plan of the next answer. */
function serve(plan: Plan, access = 'owner') {
  const sent: Record<string, string>[] = []
  let now = plan
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1, access }])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A']))),
    http.get('*/api/auth/stream/', () => HttpResponse.error()),
    http.get('*/api/auth/plan/', () => HttpResponse.json(now)),
    http.post('*/api/auth/plan/', async ({ request }) => {
      const fields = Object.fromEntries(new URLSearchParams(await request.text()))
      sent.push(fields)
      if (fields.on) now = planOf({ on: fields.on === 'true' })
      if (fields.soc) now = { ...now, wish: { soc: Number(fields.soc), by: soon + HOUR } }
      return HttpResponse.json(now)
    }),
    http.get('*/api/auth/savings/', () =>
      HttpResponse.json([
        { ...saving(plusDays(TODAY, -2), 100), without_plan: 130 },
        { ...saving(plusDays(TODAY, -1), 100), without_plan: 92 },
      ]),
    ),
    http.get('*/api/auth/journal/', () => HttpResponse.json({ page: 1, pages: 1, total: 0, lines: [] })),
  )
  return sent
}

beforeEach(() => startSession({ access: 'access', refresh: 'refresh', role: 'user' }))
afterEach(() => resetSessionStore())

describe('the page of the plan', () => {
  it('that lacks a provider says so, and links to where one is chosen', async () => {
    serve(planOf())
    const text = 'Bitte wählen Sie einen Stromanbieter: Ohne ihn sind die Preise nicht bekannt.'
    const refusal = { provider: [text], codes: { provider: ['provider_required'] } }
    server.use(http.post('*/api/auth/plan/', () => HttpResponse.json(refusal, { status: 400 })))
    await renderPage(() => <PlanPage />)
    await userEvent.click(await screen.findByRole('switch'))
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
    const link = screen.getByRole('link', { name: 'Stromanbieter wählen' })
    expect(link).toHaveAttribute('href', '/settings?part=prices#tariff')
  })

  it('shows what comes next and why as a sentence, a picture and a table', async () => {
    serve(made())
    await renderPage(() => <PlanPage />)
    expect(await screen.findByText(/^Als Nächstes: lädt ab .*\d\d:00 aus dem Netz$/)).toBeInTheDocument()
    expect(screen.getAllByText(/24 ct statt 33 ct um 18:00/)).toHaveLength(2)
    expect(screen.getByRole('img', { name: /Strompreis und erwarteter Ladestand/ })).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Als Tabelle' }))
    const table = screen.getByRole('table', { name: /Strompreis und erwarteter Ladestand/ })
    expect(within(table).getAllByRole('row')).toHaveLength(5)
    expect(within(table).getAllByText('33,0 (geschätzt)')).toHaveLength(2)
  })

  it('shows a loss as plainly as a saving', async () => {
    serve(made())
    await renderPage(() => <PlanPage />)
    expect(await screen.findByText(/^0,30\s€ gespart$/)).toBeInTheDocument()
    expect(screen.getByText(/^0,08\s€ mehr gekostet$/)).toBeInTheDocument()
    expect(screen.getByText(/hat der Plan 0,22\s€ gespart/)).toBeInTheDocument()
    expect(
      screen.getByText(/2 Tage mit Plan sind gezählt. An einem davon hat er Geld gekostet./),
    ).toBeInTheDocument()
  })

  it('rejects an invalid charge target at its field, and accepts a valid one', async () => {
    const sent = serve(made())
    await renderPage(() => <PlanPage />)
    await screen.findByRole('heading', { name: 'Ihr Wunsch an den Plan' })
    fill('Ladestand in %', '170')
    fill('bis (Uhrzeit)', '18:00')
    await userEvent.click(screen.getByRole('button', { name: 'Wunsch speichern' }))
    await waitFor(() => expect(screen.getByLabelText('Ladestand in %')).toHaveFocus())
    expect(sent).toEqual([])
    fill('Ladestand in %', '70')
    await userEvent.click(screen.getByRole('button', { name: 'Wunsch speichern' }))
    expect(await screen.findByText('Ihr Wunsch ist vorgemerkt')).toBeInTheDocument()
    expect(sent).toEqual([{ sn: 'A', soc: '70', by: '18:00' }])
    await userEvent.click(screen.getByRole('button', { name: 'Wunsch zurückziehen' }))
    await waitFor(() => expect(sent.at(-1)).toEqual({ sn: 'A', soc: '', by: '' }))
  })

  it('can be turned off, and then says what the battery does', async () => {
    const sent = serve(made())
    await renderPage(() => <PlanPage />)
    await userEvent.click(await screen.findByRole('switch', { name: /Suncellar plant/ }))
    expect(await screen.findByRole('heading', { name: 'Der Ladeplan ist ausgeschaltet' })).toBeInTheDocument()
    expect(sent).toEqual([{ sn: 'A', on: 'false' }])
    expect(screen.queryByRole('heading', { name: 'Ihr Wunsch an den Plan' })).toBeNull()
  })

  it('says what is missing while there is no plan yet', async () => {
    serve(planOf({ on: true }))
    await renderPage(() => <PlanPage />)
    expect(await screen.findByText(/etwa zehn Tage gemessen/)).toBeInTheDocument()
  })

  it('hides its forms from a member who may only look', async () => {
    serve(made(), 'look')
    await renderPage(() => <PlanPage />)
    expect(await screen.findByText(/^Als Nächstes/)).toBeInTheDocument()
    expect(screen.queryByRole('switch')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Wunsch speichern' })).toBeNull()
  })
})
