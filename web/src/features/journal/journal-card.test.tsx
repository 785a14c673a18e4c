import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as files from '@/lib/download'
import { startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { JournalCard } from './journal-card'

let asked: URLSearchParams[]
let total: number

const line = (id: number) => ({
  id,
  at: Date.UTC(2026, 10, 15, 11),
  time: '2026-11-15 12:00:00',
  sn: 'A',
  kind: 'settings',
  event: 'setting_changed',
  actor: 'you',
  who: 'Sie',
  text: `Die Einstellung „Reserve“ wurde von ${id} % auf 30 % geändert.`,
})

beforeEach(async () => {
  asked = []
  total = 25
  await startSession({ access: 'a', refresh: 'r', role: 'user' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([{ sn: 'A', phase: 1 }])),
    http.get('*/api/auth/journal/', ({ request }) => {
      const query = new URL(request.url).searchParams
      asked.push(query)
      if (query.get('format') === 'csv') return new HttpResponse('csv')
      const page = Number(query.get('page'))
      const lines = total === 0 ? [] : [line(page)]
      return HttpResponse.json({ page, pages: Math.ceil(total / 10), total, lines })
    }),
  )
})

const open = () =>
  renderPage(() => (
    <>
      <h1>page</h1>
      <JournalCard />
    </>
  ))

describe('the journal', () => {
  it('shows a sentence, the time on the site’s clock, and the person of each entry', async () => {
    await open()
    expect(await screen.findByRole('listitem', { name: '' })).toHaveTextContent(
      'Die Einstellung „Reserve“ wurde von 1 % auf 30 % geändert.15.11.2026 12:00· Sie· A· Einstellungen',
    )
  })

  it('has pages', async () => {
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Seite 2' }))
    expect(await screen.findByText(/von 2 % auf/)).toBeInTheDocument()
  })

  it('is filtered by kind, person and day, from the first page on', async () => {
    await open()
    await userEvent.click(await screen.findByRole('button', { name: 'Seite 2' }))
    const isAsked = (filter: object) =>
      waitFor(() => expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({ ...filter, page: '1' }))
    fill('Was', 'settings')
    await isAsked({ kind: 'settings' })
    fill('Von wem', 'you')
    await isAsked({ kind: 'settings', actor: 'you' })
    fill('Ab', '2026-11-01')
    await isAsked({ kind: 'settings', actor: 'you', from: '2026-11-01' })
  })

  it('is exported as filtered, with all its pages', async () => {
    const save = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined)
    await open()
    await screen.findByText(/von 1 % auf/)
    fill('Was', 'settings')
    await userEvent.click(screen.getByRole('button', { name: 'Als CSV' }))
    await waitFor(() => expect(save).toHaveBeenCalledWith(expect.anything(), 'suncellar_journal.csv'))
    expect(Object.fromEntries(asked.find((query) => query.has('format')) ?? [])).toEqual({
      kind: 'settings',
      format: 'csv',
    })
  })

  it('says so if nothing matches', async () => {
    total = 0
    await open()
    expect(await screen.findByText('Noch ist nichts passiert.')).toBeInTheDocument()
    fill('Was', 'command')
    expect(await screen.findByText(/keine Einträge/)).toBeInTheDocument()
  })
})
