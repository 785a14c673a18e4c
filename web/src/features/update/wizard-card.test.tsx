import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { reloadWhenFree } from '@/lib/hold-reload'
import { page } from '@/lib/session/page'
import { STORAGE } from '@/lib/storage-keys'
import { readWizard } from './memory'
import { idleStatus, runningStatus, secondPart, updateStatus } from './testing'
import {
  answerDialog,
  button,
  open,
  press,
  serverSays,
  serveUpdates,
  service,
  startNow,
  stepHeading,
  toStart,
} from './testing-page'

beforeEach(serveUpdates)

describe('the wizard', () => {
  it('leads from the choice through start and progress to the end', async () => {
    await open()
    await stepHeading('Welcher Speicher soll das Update bekommen?')
    expect(screen.getByText(/Wählen Sie die Seriennummer und schalten Sie den Speicher/)).toBeInTheDocument()
    expect(screen.getAllByRole('radio')).toHaveLength(1)
    expect(button('Weiter')).toBeDisabled()
    await toStart()
    expect(screen.getByText('Stabileres WLAN.')).toBeInTheDocument()
    expect(button('Weiter')).toBeDisabled()
    await press('Starten')
    expect(await screen.findByRole('dialog')).toHaveTextContent('lässt sich nicht rückgängig machen')
    expect(service.sent).toEqual([])
    await answerDialog('Starten')
    expect(await screen.findByText(/Das Update wartet/)).toBeInTheDocument()
    expect(service.sent).toEqual([{ sn: 'A', update: '1' }])
    expect(button('Starten')).toBeDisabled()

    await serverSays(runningStatus({ page: 0 }))
    expect(screen.getByRole('progressbar')).toHaveValue(5)
    await serverSays(runningStatus({ page: 42 }))
    expect(screen.getByRole('progressbar')).toHaveValue(42)
    expect(screen.getByText('Neue Version wird geladen').closest('[role=status]')).not.toBeNull()
    expect(JSON.parse(localStorage.getItem(STORAGE.updateStarted) ?? '')).toEqual({
      sn: 'A',
      state: 'started',
    })

    await serverSays(idleStatus({ state: 'done', page: 100 }))
    expect(await screen.findByRole('dialog', { name: 'ok!' })).toBeInTheDocument()
    await press('OK')
    await stepHeading('Update für A ist fertig')
    await press('Beenden')
    await waitFor(() => expect(page.reload).toHaveBeenCalledTimes(1))
    expect(readWizard()).toMatchObject({ sn: null, step: 0, states: {} })
    expect(localStorage.getItem(STORAGE.updateStarted)).toBeNull()
    expect(localStorage.getItem(STORAGE.updates)).toBeNull()
  })

  it('puts the focus on the heading of each step', async () => {
    await open()
    await toStart()
    expect(await stepHeading('Update für A starten')).toHaveFocus()
    await press('Zurück')
    expect(await stepHeading(/Welcher Speicher/)).toHaveFocus()
    expect(screen.getByRole('radio', { name: /^A/ })).toBeChecked()
  })

  it('begins with the system of a link', async () => {
    service.statuses.B = updateStatus()
    await open('?sn=B')
    expect(await screen.findByRole('radio', { name: /^B/ })).toBeChecked()
    await userEvent.click(await screen.findByRole('radio', { name: /^A/ }))
    expect(screen.getByRole('radio', { name: /^A/ })).toBeChecked()
  })

  it('chooses nothing if the link names a system without an update', async () => {
    await open('?sn=B')
    expect(await screen.findByRole('radio', { name: /^A/ })).not.toBeChecked()
    await waitFor(() => expect(readWizard().sn).toBeNull())
  })

  it('does not start an unreachable system, and only warns of other problems', async () => {
    const checks = { reachable: true, soc: 7, soc_enough: false, needs_off: true, switched_off: false }
    service.statuses.A = updateStatus({ checks })
    await open()
    await toStart()
    expect(screen.getByText(/Der Ladestand von 7.% ist niedrig/)).toBeInTheDocument()
    expect(screen.getByText(/noch eingeschaltet/)).toBeInTheDocument()
    expect(button('Starten')).toBeEnabled()
    await serverSays(updateStatus({ checks: { ...checks, reachable: false } }))
    expect(screen.getByText(/nicht erreichbar/)).toBeInTheDocument()
    expect(button('Starten')).toBeDisabled()
  })

  it('only logs a failed start, goes on polling and allows a retry', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    service.take = () => HttpResponse.error()
    await open()
    await toStart()
    await press('Starten')
    const before = service.asked.length
    await answerDialog('Starten')
    await waitFor(() => expect(log).toHaveBeenCalledTimes(1))
    await waitFor(() => expect(service.asked.length).toBeGreaterThan(before))
    await waitFor(() => expect(button('Starten')).toBeEnabled())
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  })

  it('shows why the server refused a start', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    service.take = () =>
      HttpResponse.json(
        { detail: 'Der Betreiber hat alles angehalten.', code: 'fleet_braked' },
        { status: 503 },
      )
    await open()
    await toStart()
    await press('Starten')
    await answerDialog('Starten')
    expect(await screen.findByText('Der Betreiber hat alles angehalten.')).toBeInTheDocument()
  })
})

describe('an update that is interrupted', () => {
  it('is announced with the reason, and can be started again', async () => {
    await open()
    await startNow()
    await serverSays(runningStatus())
    const error = { code: 'rolled_back', text: 'Die neue Version lief nicht.' }
    await serverSays(updateStatus({ state: 'failed', page: -1, error }))
    const dialog = await screen.findByRole('dialog', { name: 'Fehler!' })
    expect(dialog).toHaveTextContent('Das Update wurde unterbrochen. Schalten Sie den Speicher ein')
    expect(dialog).toHaveTextContent('Die neue Version lief nicht.')
    await press('OK')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(screen.queryByRole('progressbar')).not.toBeInTheDocument()
    expect(localStorage.getItem(STORAGE.updateStarted)).toBeNull()
    expect(JSON.parse(localStorage.getItem(STORAGE.updates) ?? '').A.interrupted).toBe(true)
    expect(button('Starten')).toBeEnabled()
    await serverSays(updateStatus({ state: 'failed', page: -1, error }))
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('is shown again when the battery goes on by itself', async () => {
    await open()
    await startNow()
    await serverSays(runningStatus({ state: 'interrupted', page: -1 }))
    await screen.findByRole('dialog', { name: 'Fehler!' })
    await press('OK')
    await serverSays(runningStatus({ page: 60 }))
    expect(screen.getByRole('progressbar')).toHaveValue(60)
  })
})

describe('the main switch', () => {
  const stillOn = { ...updateStatus().checks, switched_off: false }

  it('is asked for at each step, up to the end', async () => {
    service.take = () => {
      service.statuses.A = updateStatus({ state: 'waits_for_switch', switch: 'off', checks: stillOn })
      return HttpResponse.json({ updates: [] })
    }
    await open()
    await startNow()
    expect(
      await screen.findByText('Bitte schalten Sie jetzt den Hauptschalter aus. Dann beginnt das Update.'),
    ).toBeInTheDocument()
    expect(screen.getByText(/sehen Sie, wann das Update beginnt/)).toBeInTheDocument()
    expect(screen.getByText(/ziehen Sie das Update zurück/)).toBeInTheDocument()
    await serverSays(runningStatus({ page: 80 }))
    expect(screen.getByText('läuft')).toBeInTheDocument()
    expect(screen.getByText(/Das Update läuft weiter/)).toBeInTheDocument()
    expect(screen.queryByText(/ziehen Sie das Update zurück/)).toBeNull()
    await serverSays(secondPart({ state: 'waits_for_switch', stage: 'waiting', switch: 'on_then_off' }))
    const dialog = await screen.findByRole('dialog', { name: 'Info!' })
    expect(dialog).toHaveTextContent('Ein Teil ist fertig, 1 Teil folgt noch.')
    const cycle = 'Bitte 5 bis 10 Sekunden einschalten, dann wieder ausschalten.'
    expect(dialog).toHaveTextContent(cycle)
    await press('OK')
    expect(await screen.findByText(cycle)).toBeInTheDocument()
    expect(screen.getByText('Teil 2 von 2: Master')).toBeInTheDocument()
    expect(screen.getByText('wartet')).toBeInTheDocument()
    expect(screen.queryByText('läuft')).toBeNull()

    await serverSays(idleStatus({ state: 'done', page: 100, switch: 'on' }))
    expect(await screen.findByRole('dialog', { name: 'ok!' })).toHaveTextContent('wieder ein')
    await press('OK')
    expect(await screen.findByText('Schalten Sie den Speicher wieder ein.')).toBeInTheDocument()
    await serverSays(idleStatus({ state: 'done', page: 100, checks: stillOn }))
    expect(await screen.findByText('Fertig. Ihr Speicher läuft wieder.')).toBeInTheDocument()
  })

  it('is not involved in an update while the battery runs', async () => {
    const checks = { ...stillOn, needs_off: false }
    service.statuses.A = updateStatus({ checks })
    await open()
    expect(await screen.findByText(/im laufenden Betrieb/)).toBeInTheDocument()
    await toStart()
    expect(screen.getByText(/Lassen Sie ihn eingeschaltet/)).toBeInTheDocument()
    await press('Starten')
    await answerDialog('Starten')
    await serverSays(runningStatus({ checks }))
    await serverSays(idleStatus({ state: 'done', page: 100, checks }))
    expect(await screen.findByRole('dialog', { name: 'ok!' })).toHaveTextContent('arbeitet wie gewohnt')
  })
})

describe('leaving', () => {
  it('withdraws an update that still waits, and says so', async () => {
    await open()
    await startNow()
    service.take = ({ sn = '' }) => {
      service.statuses[sn] = updateStatus({ state: 'cancelled' })
      return HttpResponse.json({ updates: [] })
    }
    await press('Update zurückziehen')
    expect(await screen.findByRole('dialog', { name: 'Das Update zurückziehen?' })).toBeInTheDocument()
    await answerDialog('Update zurückziehen')
    await waitFor(() => expect(page.reload).toHaveBeenCalledTimes(1))
    expect(service.sent.at(-1)).toEqual({ sn: 'A', update: '0' })
    expect(readWizard()).toMatchObject({ sn: null, step: 0, states: {} })
    expect(localStorage.getItem(STORAGE.updateStarted)).toBeNull()
    expect(await screen.findByText('Das Update ist zurückgezogen')).toBeInTheDocument()
  })

  it('does not claim that an update was withdrawn that has begun meanwhile', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await open()
    await startNow()
    service.take = ({ sn = '' }) => {
      service.statuses[sn] = runningStatus()
      return HttpResponse.json({ detail: 'Es läuft schon.', code: 'update_running' }, { status: 409 })
    }
    await press('Update zurückziehen')
    await answerDialog('Update zurückziehen')
    expect(await screen.findByRole('dialog', { name: 'Info!' })).toHaveTextContent('hat schon begonnen')
    await press('OK')
    expect(await screen.findByRole('progressbar')).toHaveValue(42)
    expect(page.reload).not.toHaveBeenCalled()
    expect(screen.queryByText('Das Update ist zurückgezogen')).not.toBeInTheDocument()
  })

  it('leaves a running update, which is shown again only when its system is chosen', async () => {
    await open()
    await startNow()
    await serverSays(runningStatus())
    await press('Verlassen')
    expect(await screen.findByRole('dialog', { name: 'Diese Seite verlassen?' })).toHaveTextContent(
      'Das Update läuft weiter.',
    )
    await answerDialog('Verlassen')
    await waitFor(() => expect(page.reload).toHaveBeenCalledTimes(1))
    expect(service.sent).toHaveLength(1)
    const running = await screen.findByRole('radio', { name: /Update läuft, 42/ })
    expect(running).not.toBeChecked()
    expect(screen.queryByText(/zurückgezogen|[Aa]bgebrochen/)).not.toBeInTheDocument()
    await userEvent.click(running)
    expect(await screen.findByRole('progressbar')).toHaveValue(42)
  })

  it('asks for confirmation', async () => {
    await open()
    await startNow()
    await press('Update zurückziehen')
    await answerDialog('Nein, warten lassen')
    expect(page.reload).not.toHaveBeenCalled()
    expect(screen.getByText(/Das Update wartet/)).toBeInTheDocument()
  })
})

describe('a new version of the portal', () => {
  it('waits until the update on screen is over and its end was acknowledged', async () => {
    const reload = vi.fn()
    await open()
    await startNow()
    reloadWhenFree(reload)
    await serverSays(runningStatus())
    expect(reload).not.toHaveBeenCalled()
    await serverSays(idleStatus({ state: 'done', page: 100 }))
    await screen.findByRole('dialog', { name: 'ok!' })
    expect(reload).not.toHaveBeenCalled()
    await press('OK')
    await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
    expect(readWizard()).toMatchObject({ sn: 'A', step: 2, states: { A: 'finished' } })
  })
})
