import 'fake-indexeddb/auto'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { HeldGrant } from '@/lib/data/grants'
import { startSession } from '@/lib/session/session-store'
import { plusDays, siteDayOf } from '@/lib/site-day'
import { fill } from '@/lib/testing/fill'
import { askedGrant, heldGrant } from '@/lib/testing/grants'
import { liveOf } from '@/lib/testing/live'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { HeldPanel } from './held-panel'

let sent: string[]
let held: HeldGrant[]

async function note(request: Request) {
  sent.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`.trim())
}

beforeEach(async () => {
  sent = []
  held = []
  await startSession({ access: 'access', refresh: 'refresh', role: 'electrician' })
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json([])),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf([]))),
    http.get('*/api/auth/grant/', () => HttpResponse.json({ given: [], held, handovers: [] })),
  )
})

const open = async (grants: HeldGrant[] = []) => {
  held = grants
  await renderPage(() => (
    <>
      <h1>page</h1>
      <HeldPanel manages />
    </>
  ))
  await screen.findByRole('region', { name: 'Ihre Zugänge' })
}

const click = (name: string) => userEvent.click(screen.getByRole('button', { name }))

describe('an electrician’s access', () => {
  it('shows invitations first; an accepted one is held', async () => {
    server.use(
      http.post('*/api/auth/grant/:id/accept/', async ({ request }) => {
        await note(request)
        held = [heldGrant({ id: 31 })]
        return HttpResponse.json(held[0])
      }),
    )
    await open([heldGrant({ id: 31, state: 'invited' })])
    expect(screen.getByRole('region', { name: 'Eine Einladung' })).toHaveTextContent('Katrin Albers')
    await click('Annehmen: Katrin Albers, SC24A0001')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Eine Einladung' })).toBeNull())
    expect(sent).toEqual(['POST /api/auth/grant/31/accept/'])
    expect(screen.getByRole('region', { name: 'Ihre Zugänge' })).toHaveTextContent('bis 13. Februar 2027')
  })

  it('of many is found by customer and number, and a request says when it lapses', async () => {
    const many = Array.from({ length: 12 }, (_, place) =>
      heldGrant({
        id: 40 + place,
        sn: `SC24F00${10 + place}`,
        first_name: 'Łukasz',
        last_name: `Nr. ${place}`,
      }),
    )
    const created_at = Date.parse('2026-11-17T10:00:00Z')
    await open([askedGrant({ id: 60, sn: 'SC24Z0001', created_at }), ...many])
    const list = screen.getByRole('region', { name: 'Ihre Zugänge' })
    expect(list).toHaveTextContent('verfällt am 1. Dezember 2026')
    fill('Kunde oder Seriennummer', 'lukasz f0021')
    expect(within(list).getAllByRole('listitem')).toHaveLength(1)
    expect(list).toHaveTextContent('SC24F0021')
    fill('Kunde oder Seriennummer', 'niemand')
    expect(list).toHaveTextContent('Nichts gefunden.')
  })

  it('is offered once for a household of several units', async () => {
    server.use(
      http.post('*/api/auth/grant/:id/accept/', async ({ request }) => {
        sent.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`)
        held = []
        return HttpResponse.json(heldGrant())
      }),
    )
    const invited = { state: 'invited', household: 31 } as const
    await open([
      heldGrant({ ...invited, id: 31 }),
      heldGrant({ ...invited, id: 32, sn: 'SC24A0002' }),
      heldGrant({ ...invited, id: 33, sn: 'SC24B0001', household: 33 }),
    ])
    expect(screen.getByRole('region', { name: '2 Einladungen' })).toHaveTextContent('SC24A0001, SC24A0002')
    await click('Annehmen: Katrin Albers, SC24A0001, SC24A0002')
    await waitFor(() => expect(sent).toEqual(['POST /api/auth/grant/31/accept/?household=true']))
  })

  it('is given up after a confirmation', async () => {
    server.use(
      http.delete('*/api/auth/grant/:id/', async ({ request }) => {
        await note(request)
        held = []
        return new HttpResponse(null, { status: 204 })
      }),
    )
    await open([heldGrant({ id: 5 })])
    await click('Abgeben: Katrin Albers, SC24A0001')
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Abgeben' }))
    expect(await screen.findByText(/Noch ist keine Anlage für Sie freigegeben/)).toBeInTheDocument()
    expect(sent).toEqual(['DELETE /api/auth/grant/5/'])
  })

  it('that is only requested reveals nothing of the system', async () => {
    await open([askedGrant({ sn: 'SC24Z9999' })])
    const list = screen.getByRole('region', { name: 'Ihre Zugänge' })
    expect(list).toHaveTextContent('Angefragt')
    expect(list).not.toHaveTextContent('Katrin')
    expect(screen.getByRole('button', { name: 'Zurückziehen: SC24Z9999, SC24Z9999' })).toBeInTheDocument()
  })
})

describe('getting more access', () => {
  it('is requested by serial number, and the answer is always the same', async () => {
    server.use(
      http.post('*/api/auth/grant/request/', async ({ request }) => {
        await note(request)
        return HttpResponse.json(
          { sn: 'SC24A0001', state: 'asked', text: 'Angefragt, falls es diesen Speicher gibt.' },
          { status: 202 },
        )
      }),
    )
    await open()
    fill('Seriennummern', 'sc24a0001 SC-2')
    await click('Anfragen')
    expect(screen.getByLabelText('Seriennummern')).toHaveAccessibleDescription(
      /„SC-2“ ist keine Seriennummer/,
    )
    expect(sent).toEqual([])
    fill('Seriennummern', 'sc24a0001 SC24A0002')
    fill('Nachricht an den Besitzer (freiwillig)', 'Wir haben montiert.')
    await click('Anfragen')
    expect(await screen.findByText('Angefragt, falls es diesen Speicher gibt.')).toBeInTheDocument()
    expect(sent).toEqual([
      'POST /api/auth/grant/request/ sn=SC24A0001%2CSC24A0002&scope=service&message=Wir+haben+montiert.',
    ])
  })

  it('renews several grants that end soon at once, each with its scope', async () => {
    server.use(
      http.post('*/api/auth/grant/request/', async ({ request }) => {
        await note(request)
        return HttpResponse.json({ sn: '', state: 'asked', text: '' }, { status: 202 })
      }),
    )
    const until_day = plusDays(siteDayOf(Date.now(), 'Europe/Berlin'), 5)
    await open([
      heldGrant({ id: 1, sn: 'SC24A0001', until_day }),
      heldGrant({ id: 2, sn: 'SC24A0002', until_day, scope: 'monitor' }),
      heldGrant({ id: 3, sn: 'SC24A0003', state: 'ended', until_day: '2026-01-01' }),
      heldGrant({ id: 4, sn: 'SC24A0004' }),
    ])
    await screen.findByRole('button', { name: 'Bei 3 Anlagen um Verlängerung bitten' })
    await click('Bei 3 Anlagen um Verlängerung bitten')
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByLabelText('Nachricht an den Besitzer (freiwillig)'), {
      target: { value: 'Bis bald' },
    })
    await userEvent.click(dialog.getByRole('button', { name: 'Um Verlängerung bitten' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent.sort()).toEqual([
      'POST /api/auth/grant/request/ sn=SC24A0001%2CSC24A0003&scope=service&message=Bis+bald',
      'POST /api/auth/grant/request/ sn=SC24A0002&scope=monitor&message=Bis+bald',
    ])
  })

  it('takes an installer code in upper or lower case, and says what it opened', async () => {
    server.use(
      http.post('*/api/auth/grant/code/', async ({ request }) => {
        await note(request)
        return HttpResponse.json({ grants: [heldGrant(), heldGrant({ sn: 'SC24A0002' })] })
      }),
    )
    await open()
    fill('Installationscode', 'abcde-fghjk')
    await click('Einlösen')
    expect(screen.getByLabelText('Installationscode')).toHaveAccessibleDescription(/vier Gruppen/)
    fill('Installationscode', ' abcde-fghjk-mnpqr-stvwx ')
    await click('Einlösen')
    expect(await screen.findByText('Sie haben jetzt Zugang zu SC24A0001, SC24A0002.')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Inbetriebnahme beginnen' })).toHaveAttribute(
      'href',
      '/electrician-dashboard/SC24A0001/commissioning',
    )
    expect(sent).toEqual(['POST /api/auth/grant/code/ code=ABCDE-FGHJK-MNPQR-STVWX'])
  })
})
