import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { HeldGrant } from '@/lib/api/grants'
import { startSession } from '@/lib/session/session-store'
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
  it('shows invitations first; one that is accepted is held', async () => {
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

  it('is given up after a question', async () => {
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

  it('that was asked for tells nothing of the system', async () => {
    await open([askedGrant({ sn: 'SC24Z9999' })])
    const list = screen.getByRole('region', { name: 'Ihre Zugänge' })
    expect(list).toHaveTextContent('Angefragt')
    expect(list).not.toHaveTextContent('Katrin')
    expect(screen.getByRole('button', { name: 'Zurückziehen: SC24Z9999, SC24Z9999' })).toBeInTheDocument()
  })
})

describe('the ways to more', () => {
  it('asks by serial number, and shows the answer that is always the same', async () => {
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
    fill('Seriennummer', 'sc24a0001')
    await click('Anfragen')
    expect(sent).toEqual([])
    fill('Seriennummer', 'SC24A0001')
    await click('Anfragen')
    expect(await screen.findByText('Angefragt, falls es diesen Speicher gibt.')).toBeInTheDocument()
    expect(sent).toEqual(['POST /api/auth/grant/request/ sn=SC24A0001&scope=service'])
  })

  it('takes an installer code in any case, and says what it opened', async () => {
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
    expect(sent).toEqual(['POST /api/auth/grant/code/ code=ABCDE-FGHJK-MNPQR-STVWX'])
  })
})
