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
import { settingsEntry } from '@/lib/testing/settings'
import { cacheSettings } from './model/cache'
import type { SystemSettings } from './model/fields'
import type { SaveOutcome } from './model/outcome'
import { StorageSettings } from './storage-settings'

/** The server's settings, and the requests. */
let systems: SystemSettings[]
let sent: { url: URL; body: URLSearchParams }[]
let answer: () => Response | Promise<Response>

const outcome = (special: Partial<SaveOutcome>): SaveOutcome => ({
  success: [],
  versions: {},
  failure: {},
  codes: {},
  warnings: {},
  conflicts: {},
  ...special,
})

const recordRequest = async ({ request }: { request: Request }) => {
  sent.push({ url: new URL(request.url), body: new URLSearchParams(await request.text()) })
  return answer()
}

beforeEach(async () => {
  sent = []
  systems = [settingsEntry('A')]
  answer = () => HttpResponse.json(outcome({ success: ['A'], versions: { A: 4 } }))
  await startSession({ access: 'a', refresh: 'r', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json(systems.map(({ sn }) => ({ sn, phase: 1 })))),
    http.get('*/api/auth/data/', () => HttpResponse.json({ data: [] })),
    http.get('*/api/auth/stream/', () => new HttpResponse(new ReadableStream())),
    http.get('*/api/auth/settings/', () => HttpResponse.json(systems)),
    http.post('*/api/auth/settings/', recordRequest),
    http.post('*/api/auth/settings/reset/', recordRequest),
  )
})

const open = async () => {
  const page = await renderPage(() => (
    <>
      <h1>page</h1>
      <StorageSettings meterTest={() => null} prices={() => null} />
    </>
  ))
  await screen.findByLabelText('Reserve')
  return page
}
const group = (name: string) => userEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }))
const review = () => userEvent.click(screen.getByRole('button', { name: 'Prüfen und senden' }))
const send = () => userEvent.click(screen.getByRole('button', { name: 'An den Speicher senden' }))
const dialog = () => screen.findByRole('dialog')

describe('saving', () => {
  it('shows the changes from and to, sends only them, and shows what the battery reports', async () => {
    await open()
    fill('Reserve', '30')
    expect(screen.getByText('1 Änderung ist noch nicht gesendet')).toBeInTheDocument()
    await review()
    expect(within(await dialog()).getByRole('listitem')).toHaveTextContent(/Reserve.*von.*10\s%.*auf.*30\s%/)
    expect(sent).toEqual([])
    systems = [
      settingsEntry('A', {
        version: 4,
        state: 'sent',
        desired: { reserve_soc: 30 },
        reported: { reserve_soc: 10 },
      }),
    ]
    await send()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent.map(({ url, body }) => [url.searchParams.get('sn'), Object.fromEntries(body)])).toEqual([
      ['A', { reserve_soc: '30', version: '3' }],
    ])
    expect(await screen.findByText('Gesendet.')).toBeInTheDocument()
    expect(screen.getByText(/arbeitet noch mit: 10\s%/)).toBeInTheDocument()
    const applied = settingsEntry('A', { version: 4, desired: { reserve_soc: 30 }, reported_at: Date.now() })
    act(() => notifyListeners({ id: '1', name: 'settings', data: JSON.stringify(applied) }))
    expect(await screen.findByText('Übernommen.')).toBeInTheDocument()
    expect(screen.queryByText(/noch nicht gesendet/)).toBeNull()
  })

  it('shows the time of the report by the site’s clock', async () => {
    systems = [settingsEntry('A', { reported_at: Date.UTC(2026, 10, 15, 12, 15) })]
    server.use(http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A']))))
    await open()
    expect(await screen.findByText(/15\.11\.2026 13:15/)).toBeInTheDocument()
  })

  it('asks for the password when the wiring changes, and shows at its field that it is wrong', async () => {
    await open()
    await group('Gerät und Anschluss')
    await userEvent.click(screen.getByRole('switch', { name: 'Notstrom' }))
    await review()
    await send()
    expect(within(await dialog()).getByText('Bitte ausfüllen.')).toBeInTheDocument()
    expect(sent).toEqual([])
    answer = () =>
      HttpResponse.json({ password: ['falsch'], codes: { password: ['password_wrong'] } }, { status: 400 })
    fill('Jetziges Passwort', 'secret')
    await send()
    expect(await screen.findByText('Das Passwort stimmt nicht.')).toBeInTheDocument()
    expect(sent[0]?.body.get('password')).toBe('secret')
  })

  it('above 4.2 kW requires the notice under §14a', async () => {
    await open()
    await group('Gerät und Anschluss')
    fill('Höchste Ladeleistung', '4600')
    expect(screen.getByText(/drosseln/)).toBeInTheDocument()
    await review()
    fill('Jetziges Passwort', 'secret')
    await send()
    expect(sent).toEqual([])
    await userEvent.click(screen.getByRole('checkbox', { name: /gelesen/ }))
    await send()
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]?.body.get('acknowledge_14a')).toBe('true')
  })

  it('above the unit’s maximum is refused with that number, and without the notice', async () => {
    await open()
    await group('Gerät und Anschluss')
    fill('Höchste Ladeleistung', '9000')
    expect(screen.getByText(/Er schafft höchstens \d/)).toBeInTheDocument()
    expect(screen.queryByText(/drosseln/)).toBeNull()
    await review()
    expect(
      screen.getByText(/^Bitte wählen Sie eine Leistung von 0 W bis \d\.\d{3}\sW\.$/),
    ).toBeInTheDocument()
    expect(sent).toEqual([])
  })

  it('sends nothing while something is invalid, opens its group and focuses its field', async () => {
    await open()
    await group('Stromzähler')
    fill('Zähleradresse', '251')
    await group('Stromzähler')
    await review()
    expect(await screen.findByText(/zwischen 1 und 250/)).toBeInTheDocument()
    await waitFor(() => expect(screen.getByLabelText('Zähleradresse')).toHaveFocus())
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('shows only the end of a provider’s token, and asks for a complete new one', async () => {
    systems = [settingsEntry('A', { desired: { provider: 'tibber', provider_token: '…1a2b' } })]
    await open()
    await group('Stromtarif')
    const token = screen.getByLabelText('Zugangsschlüssel des Stromanbieters')
    expect(token).toHaveValue('')
    expect(token).toHaveAccessibleDescription(/Hinterlegt: …1a2b/)
    fill('Zugangsschlüssel des Stromanbieters', 'short')
    await review()
    expect(await screen.findByText(/zu kurz/)).toBeInTheDocument()
    fill('Zugangsschlüssel des Stromanbieters', 'a-token-that-is-long-enough')
    await review()
    expect(within(await dialog()).getByRole('listitem')).toHaveTextContent(/…1a2b.*…ough/)
  })
})

describe('several systems', () => {
  beforeEach(() => {
    systems = [settingsEntry('A'), settingsEntry('B', { version: 7, desired: { reserve_soc: 40 } })]
  })

  it('show common values, send one version each, and continue with those that failed', async () => {
    answer = () =>
      HttpResponse.json(
        outcome({
          success: ['A'],
          versions: { A: 4 },
          failure: { B: { charge_power: ['Zu viel.'] } },
          codes: { B: { charge_power: ['power_range'] } },
        }),
      )
    await open()
    expect(screen.getByLabelText('Reserve')).toHaveAttribute('placeholder', 'verschieden')
    await group('Stromtarif')
    fill('Ladeleistung aus dem Netz', '4000')
    await review()
    await send()
    expect(await screen.findByText('Die Einstellungen wurden nicht gespeichert')).toBeInTheDocument()
    expect(sent[0]?.url.searchParams.get('sn')).toBe('A,B')
    expect(sent[0]?.body.get('version')).toBe('3,7')
    expect(screen.getByText('Zu viel.', { exact: false })).toBeInTheDocument()
    expect(screen.getByRole('checkbox', { name: 'A' })).not.toBeChecked()
    expect(screen.getByRole('checkbox', { name: 'B' })).toBeChecked()
    expect(screen.getByLabelText('Ladeleistung aus dem Netz')).toHaveValue('4000')
  })

  it('always include at least one', async () => {
    await open()
    await userEvent.click(screen.getByRole('checkbox', { name: 'A' }))
    expect(screen.getByRole('checkbox', { name: 'B' })).toBeDisabled()
    expect(screen.getByLabelText('Reserve')).toHaveValue('40')
  })
})

describe('two people at once', () => {
  const theirs = () => settingsEntry('A', { version: 4, changed_by: 'person', desired: { reserve_soc: 30 } })

  it('the second sees both values and decides; what was typed stays', async () => {
    await open()
    fill('Reserve', '50')
    act(() => notifyListeners({ id: '1', name: 'settings', data: JSON.stringify(theirs()) }))
    expect(await screen.findByText('Inzwischen hat jemand anderes gespeichert')).toBeInTheDocument()
    expect(screen.getByText(/von 10\s% auf 30\s% geändert\. Ihre Eingabe: 50\./)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Prüfen und senden' })).toBeDisabled()
    await userEvent.click(screen.getByRole('button', { name: 'Meine Eingaben behalten' }))
    await review()
    await send()
    await waitFor(() => expect(sent[0]?.body.get('version')).toBe('4'))
    expect(sent[0]?.body.get('reserve_soc')).toBe('50')
  })

  it('a save is not reported as a change by others if the stream delivers it before the answer', async () => {
    const tibber = (special: Partial<SystemSettings>, provider_token: string) =>
      settingsEntry('A', { ...special, desired: { provider: 'tibber', provider_token } })
    systems = [tibber({}, '…9z8y')]
    let arrive = () => {}
    answer = () =>
      new Promise((resolve) => {
        arrive = () => resolve(HttpResponse.json(outcome({ success: ['A'], versions: { A: 4 } })))
      })
    await open()
    await group('Stromtarif')
    fill('Zugangsschlüssel des Stromanbieters', 'a-token-of-the-provider-1a2b')
    await review()
    await send()
    await waitFor(() => expect(sent).toHaveLength(1))
    const saved = tibber({ version: 4, changed_by: 'you' }, '…1a2b')
    act(() => notifyListeners({ id: '1', name: 'settings', data: JSON.stringify(saved) }))
    expect(await screen.findAllByText(/…1a2b/)).toHaveLength(1)
    expect(screen.queryByText(/in einem anderen Fenster/)).toBeNull()
    systems = [saved]
    arrive()
    await waitFor(() => expect(screen.queryByText(/noch nicht gesendet/)).toBeNull())
    expect(screen.queryByText(/in einem anderen Fenster/)).toBeNull()
  })

  it('the second learns of it by the refusal if the event came too late, and may take the other value', async () => {
    await open()
    fill('Reserve', '50')
    await review()
    systems = [theirs()]
    answer = () =>
      HttpResponse.json(
        outcome({
          failure: { A: { version: ['Jemand anderes hat gespeichert.'] } },
          codes: { A: { version: ['version_conflict'] } },
          conflicts: { A: { version: 4, changes: [] } },
        }),
        { status: 409 },
      )
    await send()
    expect(await screen.findByText('Inzwischen hat jemand anderes gespeichert')).toBeInTheDocument()
    await userEvent.click(screen.getByRole('button', { name: 'Neue Werte übernehmen' }))
    expect(screen.getByLabelText('Reserve')).toHaveValue('30')
    expect(screen.queryByText(/noch nicht gesendet/)).toBeNull()
  })
})

describe('what the battery reports', () => {
  it('is shown at the rejected field, with the active value', async () => {
    systems = [
      settingsEntry('A', {
        state: 'refused',
        desired: { meter_type: 'shelly3em' },
        reported: { meter_type: 'adl400' },
        errors: { meter_type: 'needs_tcp' },
        error_texts: { meter_type: 'Dieser Zähler spricht nur über das Netzwerk.' },
      }),
    ]
    await open()
    await group('Stromzähler')
    expect(screen.getByText('Nicht alles übernommen.')).toBeInTheDocument()
    expect(screen.getByLabelText('Zählertyp')).toHaveAccessibleDescription(
      /Nicht übernommen: Shelly 3EM\. Dieser Zähler spricht nur über das Netzwerk\. .*Acrel ADL400/,
    )
  })

  it.each([
    ['waiting', /offline und bekommt die Einstellungen, sobald er wieder da ist/],
    ['unknown', /noch nicht gemeldet/],
  ] as const)('while it is %s is a sentence', async (state, sentence) => {
    systems = [settingsEntry('A', { state })]
    await open()
    expect(screen.getByText(sentence)).toBeInTheDocument()
  })

  it('includes the grid operator’s limit, above everything', async () => {
    systems = [settingsEntry('A', { grid_limit: { limit: 4_200, since: Date.UTC(2026, 10, 15, 11) } })]
    await open()
    expect(screen.getByText('Der Netzbetreiber begrenzt gerade das Laden')).toBeInTheDocument()
    expect(screen.getByText(/Höchstens 4,2\skW aus dem Netz/)).toBeInTheDocument()
  })
})

describe('loading', () => {
  it('says that the settings are current', async () => {
    await open()
    systems = [settingsEntry('A', { version: 5, desired: { reserve_soc: 60 } })]
    await userEvent.click(screen.getByRole('button', { name: 'Aktuelle Einstellungen laden' }))
    await waitFor(() => expect(screen.getByLabelText('Reserve')).toHaveValue('60'))
    expect(localStorage.getItem('settings_A')).toContain('"reserve_soc":60')
  })

  it('that fails says so and keeps the last known values', async () => {
    cacheSettings([settingsEntry('A', { desired: { reserve_soc: 25 } })], Date.now() - 60_000)
    server.use(
      http.get('*/api/auth/settings/', () =>
        HttpResponse.json({ detail: 'Nicht erreichbar.', code: 'forbidden' }, { status: 403 }),
      ),
    )
    await open()
    expect(screen.getByLabelText('Reserve')).toHaveValue('25')
    expect(await screen.findByText('Die aktuellen Einstellungen ließen sich nicht laden')).toBeInTheDocument()
    expect(screen.getByText(/zuletzt bekannten Werte/)).toBeInTheDocument()
  })
})

describe('resetting', () => {
  it('asks for confirmation, keeps the wiring by default, and otherwise requires the password', async () => {
    await open()
    await userEvent.click(screen.getByRole('button', { name: 'Auf Grundwerte zurücksetzen' }))
    const asked = within(await dialog())
    await userEvent.click(asked.getByRole('checkbox'))
    await userEvent.click(asked.getByRole('button', { name: 'Auf Grundwerte zurücksetzen' }))
    expect(sent).toEqual([])
    fill('Jetziges Passwort', 'secret')
    await userEvent.click(asked.getByRole('button', { name: 'Auf Grundwerte zurücksetzen' }))
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(Object.fromEntries(sent[0]?.body ?? [])).toEqual({
      version: '3',
      wiring: 'true',
      password: 'secret',
    })
  })

  it('is disabled while there are unsent changes', async () => {
    await open()
    fill('Reserve', '30')
    expect(screen.getByRole('button', { name: 'Auf Grundwerte zurücksetzen' })).toBeDisabled()
  })
})
