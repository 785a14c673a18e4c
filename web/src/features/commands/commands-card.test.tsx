import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { notifyListeners } from '@/lib/live/listeners'
import { startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { liveOf } from '@/lib/testing/live'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { CommandsCard } from './commands-card'
import { MeterTest } from './meter-test'
import type { Command } from './model'

let given: URLSearchParams[]
let answer: (body: URLSearchParams) => Response

const commandOf = (body: URLSearchParams, special: Partial<Command> = {}): Command => ({
  id: 'c1',
  sn: body.get('sn') ?? '',
  command: body.get('command') ?? '',
  state: 'queued',
  created_at: Date.now(),
  expires_at: Date.now() + 300_000,
  sent_at: null,
  ended_at: null,
  code: null,
  text: null,
  data: null,
  ...special,
})
const tell = (special: Partial<Command>) =>
  act(() =>
    notifyListeners({
      id: '1',
      name: 'command',
      data: JSON.stringify({ ...commandOf(given.at(-1) ?? new URLSearchParams()), ...special }),
    }),
  )

beforeEach(async () => {
  given = []
  answer = (body) => HttpResponse.json(commandOf(body), { status: 201 })
  await startSession({ access: 'a', refresh: 'r', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1 }])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A']))),
    http.get('*/api/auth/command/:id/', () =>
      HttpResponse.json(commandOf(given.at(-1) ?? new URLSearchParams())),
    ),
    http.post('*/api/auth/command/', async ({ request }) => {
      const body = new URLSearchParams(await request.text())
      given.push(body)
      return answer(body)
    }),
  )
})

const open = (ui = <CommandsCard />) =>
  renderPage(() => (
    <>
      <h1>page</h1>
      {ui}
    </>
  ))
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))

describe('a command', () => {
  it('is sent with a key and followed to its end', async () => {
    await open()
    await press('Automatik einschalten')
    expect(await screen.findByText('übergeben')).toBeInTheDocument()
    expect(given[0]?.get('command')).toBe('auto')
    expect(given[0]?.get('key')).toMatch(/^[\w-]{8,64}$/)
    tell({ state: 'sent' })
    expect(await screen.findByText('beim Speicher')).toBeInTheDocument()
    tell({ state: 'done', code: 'ok', text: 'Erledigt.' })
    // Shown once only.
    expect(await screen.findByText('erledigt')).toBeInTheDocument()
    expect(screen.queryByText('Erledigt.')).toBeNull()
  })

  it('is repeated with the same key after a lost answer, and sent with a new one on another click', async () => {
    answer = () => HttpResponse.error()
    await open()
    await press('Automatik einschalten')
    answer = (body) =>
      HttpResponse.json(commandOf(body, { state: 'done', text: 'Erledigt.' }), { status: 201 })
    await press('Noch einmal versuchen')
    expect(await screen.findByText('Erledigt.')).toBeInTheDocument()
    await press('Automatik einschalten')
    await waitFor(() => expect(given).toHaveLength(3))
    const [first, second, third] = given.map((body) => body.get('key'))
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  it('asks for confirmation if its effect is felt in the house', async () => {
    await open()
    await press('Ausschalten')
    expect(given).toEqual([])
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.click(dialog.getByRole('button', { name: 'Ausschalten' }))
    await waitFor(() => expect(given[0]?.get('command')).toBe('switch_off'))
  })

  it('charges to a state of charge within its range', async () => {
    await open()
    await screen.findByLabelText('Laden bis (%)')
    fill('Laden bis (%)', '120')
    await press('Laden starten')
    expect(await screen.findByText(/von 0 bis 100/)).toBeInTheDocument()
    expect(given).toEqual([])
    fill('Laden bis (%)', '90')
    fill(/Höchstens/, '1500')
    await press('Laden starten')
    // Charging may buy from the grid.
    const dialog = within(await screen.findByRole('dialog', { name: /^Jetzt bis 90\s% laden\?$/ }))
    expect(given).toEqual([])
    await userEvent.click(dialog.getByRole('button', { name: 'Laden starten' }))
    await waitFor(() => expect(given).toHaveLength(1))
    expect([given[0]?.get('soc'), given[0]?.get('power')]).toEqual(['90', '1500'])
  })

  it('is disabled if it would change nothing', async () => {
    await open()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Einschalten' })).toBeDisabled())
    expect(screen.getByRole('button', { name: 'Ausschalten' })).toBeEnabled()
  })

  it('shows what the battery does from now on, on the site’s clock', async () => {
    const until = Date.UTC(2026, 10, 15, 12, 15)
    await open()
    await press('Pause starten')
    await screen.findByText('übergeben')
    tell({ state: 'done', code: 'ok', text: 'Erledigt.', args: { until } })
    expect(await screen.findByText(/^Der Speicher pausiert bis 13:15\.$/)).toBeInTheDocument()
  })

  it('holds for the chosen time', async () => {
    await open()
    await screen.findByLabelText('Wie lange?')
    fill('Wie lange?', '4')
    await press('Pause starten')
    await waitFor(() => expect(given).toHaveLength(1))
    const hours = (Number(given[0]?.get('until')) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(3.9)
    expect(hours).toBeLessThanOrEqual(4)
  })

  it('that is refused shows why', async () => {
    answer = () =>
      HttpResponse.json(
        { detail: 'Der Betreiber hat alles angehalten.', code: 'fleet_braked' },
        { status: 503 },
      )
    await open()
    await press('Automatik einschalten')
    expect(await screen.findByRole('alert')).toHaveTextContent('Der Betreiber hat alles angehalten.')
  })
})

describe('the meter test', () => {
  const phases = [{ voltage: 231.2, power: 410, ok: true }, { voltage: 230.1, power: -90, ok: true }, null]

  it('shows every phase while it runs, with its direction in words', async () => {
    await open(<MeterTest serials={['A']} />)
    await press('Zähler testen')
    await screen.findByText('übergeben')
    tell({ state: 'sent', data: { step: 2, steps: 5, phases } })
    const [one, two, three] = await screen.findAllByRole('listitem')
    expect(one).toHaveTextContent(/Phase 1antwortet231,2\sVBezug 410\sW/)
    expect(two).toHaveTextContent(/Einspeisung 90\sW/)
    expect(three).toHaveTextContent('Misst ein anderes Gerät')
    expect(screen.getByRole('progressbar')).toHaveValue(2)
    tell({
      state: 'done',
      code: 'passed',
      text: 'Der Zähler antwortet auf allen Phasen.',
      data: { step: 5, steps: 5, phases },
    })
    expect(await screen.findByText('Der Zähler antwortet auf allen Phasen.')).toBeInTheDocument()
  })

  it('names a phase without data', async () => {
    await open(<MeterTest serials={['A']} />)
    await press('Zähler testen')
    await screen.findByText('übergeben')
    const silent = [{ voltage: 231.2, power: null, ok: false }, null, null]
    tell({
      state: 'failed',
      code: 'meter_silent',
      text: 'Der Zähler antwortet nicht.',
      data: { step: 5, steps: 5, phases: silent },
    })
    expect((await screen.findAllByRole('listitem'))[0]).toHaveTextContent(/stumm/)
    expect(screen.getByText('Der Zähler antwortet nicht.')).toBeInTheDocument()
  })
})
