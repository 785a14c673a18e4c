import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { REPLACEMENT } from '@/lib/data/systems'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session/session-store'
import { STORAGE } from '@/lib/storage-keys'
import { liveOf } from '@/lib/testing/live'
import { server } from '@/lib/testing/server'
import type { UpdateStatus } from './data'
import { idleStatus, runningStatus, updateStatus } from './testing'
import {
  answerDialog,
  askNow,
  open,
  press,
  SERVICE,
  serverSays,
  serveUpdates,
  service,
  startNow,
  stepHeading,
} from './testing-page'

beforeEach(serveUpdates)

describe('the page', () => {
  it('says so when there is no update, beside the versions of all systems', async () => {
    service.statuses = { A: idleStatus(), B: idleStatus({ state: 'done' }) }
    await open()
    expect(await screen.findByText('Kein Update')).toBeInTheDocument()
    const rows = within(screen.getByRole('table')).getAllByRole('row')
    expect(rows.map((row) => row.textContent)).toEqual(['SeriennummerMasterGateway', 'A4.121.14', 'B--'])
  })

  it('chooses the only system by itself, and shows its new version', async () => {
    server.use(
      http.get('*/api/auth/usr_sn/', () =>
        HttpResponse.json([{ sn: 'A', phase: 1, master_version: '4.12', gateway_version: '1.14' }]),
      ),
    )
    const [gateway, master] = updateStatus().updates
    const odd = { ...master, version: '4.13-rc1' }
    service.statuses = { A: updateStatus({ updates: [gateway, odd] as UpdateStatus['updates'] }) }
    await open()
    const only = await screen.findByRole('radio', { name: /^A/ })
    await waitFor(() => expect(only).toBeChecked())
    expect(screen.getByText('Gateway 1.14 → 1.15 · Master 4.12 → -')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Weiter' })).toBeEnabled()
  })

  it('does not poll while a unit is being replaced', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    try {
      await open()
      await screen.findByRole('radio', { name: /^A/ })
      const passTime = () => act(() => vi.advanceTimersByTimeAsync(30_000))
      let end = () => {}
      const answered = new Promise<void>((resolve) => {
        end = resolve
      })
      const replacement = queryClient
        .getMutationCache()
        .build(queryClient, { mutationKey: REPLACEMENT, mutationFn: () => answered })
      const pending = replacement.execute(undefined)
      await act(() => vi.advanceTimersByTimeAsync(0))
      const before = service.asked.length
      await passTime()
      expect(service.asked).toHaveLength(before)
      end()
      await pending
      await passTime()
      expect(service.asked.length).toBeGreaterThan(before)
    } finally {
      vi.useRealTimers()
    }
  })

  it('polls with token and language, quickly at first and slowly then', async () => {
    service.statuses = { A: idleStatus(), B: idleStatus() }
    await open()
    await waitFor(() => expect(service.asked.filter(({ sn }) => sn === 'A')).toHaveLength(6), {
      timeout: 25_000,
    })
    expect(service.asked[0]).toMatchObject({ bearer: 'Bearer a', language: 'de' })
    const times = service.asked.filter(({ sn }) => sn === 'A').map(({ at }) => at)
    const gaps = times.slice(1).map((at, place) => at - (times[place] ?? 0))
    expect(Math.min(...gaps.slice(0, 4))).toBeGreaterThanOrEqual(480)
    expect(Math.max(...gaps.slice(0, 4))).toBeLessThan(2_500)
    expect(gaps[4]).toBeGreaterThanOrEqual(2_900)
  })

  it('says when the service is unreachable, and polls again', async () => {
    server.use(http.get(`${SERVICE}/api/v1/has_update`, () => HttpResponse.error(), { once: false }))
    await open()
    expect(await screen.findByText('Wir konnten nicht nachsehen, ob es Updates gibt')).toBeInTheDocument()
  })

  it('shows past versions with their dates, and the fault of one that failed', async () => {
    const at = Date.UTC(2026, 9, 3, 12, 30)
    const past = { type: 'master', from_version: '4.11', version: '4.12', started_at: at } as const
    service.history = [
      { ...past, ended_at: at, state: 'done', error: null },
      {
        ...past,
        started_at: at - 1,
        ended_at: at,
        state: 'failed',
        error: { code: 'rolled_back', text: 'Der Speicher ist zur alten Version zurückgekehrt.' },
      },
    ]
    await open()
    expect(await screen.findByText(/installiert am/)).toHaveTextContent('installiert am 03.10.2026 14:30')
    expect(screen.getAllByText('Master von 4.11 auf 4.12')).toHaveLength(2)
    expect(screen.getByText('Der Speicher ist zur alten Version zurückgekehrt.')).toBeInTheDocument()
  })
})

describe('the state of an update', () => {
  it('is shown on a second device, wherever it was started', async () => {
    service.statuses.B = runningStatus({ page: 73 })
    await open()
    expect(await screen.findByRole('progressbar')).toHaveValue(73)
    expect(await stepHeading('Update für B')).toBeInTheDocument()
  })

  it('is restored after the tab was closed, and its end is announced', async () => {
    localStorage.setItem(STORAGE.updateStarted, '{"sn":"A","state":"started"}')
    service.statuses.A = idleStatus({ state: 'done', page: 100 })
    await open()
    expect(await screen.findByRole('dialog', { name: 'ok!' })).toBeInTheDocument()
  })

  it('is not announced twice: what ended yesterday is only in the history', async () => {
    service.statuses.A = idleStatus({ state: 'done', page: 100 })
    await open()
    expect(await screen.findByText('Kein Update')).toBeInTheDocument()
  })

  it('stays on screen with its time while the service is unreachable', async () => {
    await open()
    await startNow()
    await serverSays(runningStatus({ page: 42 }))
    server.use(http.get(`${SERVICE}/api/v1/has_update`, () => HttpResponse.error()))
    await askNow()
    expect(await screen.findByText(/Keine Verbindung. Stand von \d\d:\d\d/)).toBeInTheDocument()
    expect(screen.getByRole('progressbar')).toHaveValue(42)
  })
})

describe('several updates at once', () => {
  const update = { kind: 'update', state: 'running', since: 0, until: null, by: null, end: null }
  beforeEach(() => {
    service.statuses = {
      A: runningStatus({ page: 42 }),
      B: updateStatus({ state: 'waits_for_switch', switch: 'off', started_at: Date.now() }),
    }
    server.use(
      http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A', 'B'], { in_force: [update] }))),
    )
  })

  it('are a list to choose from, with the state of each', async () => {
    await open()
    expect(await screen.findByRole('radio', { name: /^A.*42/ })).not.toBeChecked()
    expect(screen.getByRole('radio', { name: /^B.*Hauptschalter/ })).not.toBeChecked()
    expect(await stepHeading('Welches Update möchten Sie sehen?')).toBeInTheDocument()
  })

  it('are a list also in the browser that has started one of them', async () => {
    localStorage.setItem(STORAGE.updateStarted, '{"sn":"A","state":"started"}')
    await open()
    expect(await screen.findByRole('radio', { name: /^B/ })).not.toBeChecked()
    expect(screen.getByRole('radio', { name: /^A/ })).not.toBeChecked()
  })

  it.each(['A', 'B'])('show the list again after leaving %s', async (sn) => {
    await open(`?sn=${sn}`)
    await stepHeading(`Update für ${sn}`)
    await press('Verlassen')
    await answerDialog('Verlassen')
    await waitFor(() => expect(screen.getAllByRole('radio')).toHaveLength(2))
    await askNow()
    expect(screen.getAllByRole('radio')).toHaveLength(2)
    await userEvent.click(screen.getByRole('radio', { name: /^A/ }))
    expect(await stepHeading('Update für A')).toBeInTheDocument()
  })

  it('stay a list when one of them ends', async () => {
    await open()
    await screen.findByRole('radio', { name: /^A/ })
    await serverSays(idleStatus({ state: 'done', page: 100 }))
    await waitFor(() => expect(screen.getAllByRole('radio')).toHaveLength(1))
    expect(screen.getByRole('radio', { name: /^B/ })).not.toBeChecked()
  })
})

describe('an expired token', () => {
  it('is renewed at the portal, and the poll is repeated', async () => {
    useSession.setState({ reloaded: true })
    server.use(
      http.post('*/api/auth/token/refresh/', () =>
        HttpResponse.json({ access: 'new', refresh: 'next', role: 'user' }),
      ),
      http.get(`${SERVICE}/api/v1/has_update`, ({ request }) =>
        request.headers.get('Authorization') === 'Bearer new'
          ? HttpResponse.json(updateStatus())
          : HttpResponse.json({ detail: 'x', code: 'token_invalid' }, { status: 401 }),
      ),
    )
    await open()
    expect(await screen.findAllByRole('radio')).not.toHaveLength(0)
  })
})
