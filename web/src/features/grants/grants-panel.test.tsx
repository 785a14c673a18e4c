import 'fake-indexeddb/auto'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { GivenGrant, Grants } from '@/lib/data/grants'
import { startSession } from '@/lib/session/session-store'
import { plusDays, siteDayOf } from '@/lib/site-day'
import { fill } from '@/lib/testing/fill'
import { givenGrant } from '@/lib/testing/grants'
import { liveOf } from '@/lib/testing/live'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { GrantsPanel } from './grants-panel'

/** Sent requests: method, path and form. */
let sent: string[]
let grants: Grants

async function note(request: Request) {
  sent.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`.trim())
}

beforeEach(async () => {
  sent = []
  grants = { given: [], held: [], handovers: [] }
  await startSession({ access: 'access', refresh: 'refresh', role: 'user' })
  const systems = ['SC24A0001', 'SC24A0002'].map((sn, index) => ({ sn, phase: index + 1, access: 'owner' }))
  server.use(
    http.get('*/api/auth/usr_sn/', () => HttpResponse.json(systems)),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(systems.map(({ sn }) => sn)))),
    http.get('*/api/auth/grant/', () => HttpResponse.json(grants)),
    http.post('*/api/auth/grant/', async ({ request }) => {
      await note(request)
      return HttpResponse.json({ grants: [] }, { status: 201 })
    }),
    http.patch('*/api/auth/grant/:id/', async ({ request }) => {
      await note(request)
      return HttpResponse.json(givenGrant())
    }),
    http.delete('*/api/auth/grant/:id/', async ({ request }) => {
      await note(request)
      grants = { ...grants, given: [] }
      return new HttpResponse(null, { status: 204 })
    }),
  )
})

const open = async (given: GivenGrant[] = []) => {
  grants.given = given
  await renderPage(() => (
    <>
      <h1>page</h1>
      <GrantsPanel />
    </>
  ))
  await screen.findByRole('region', { name: 'Elektriker' })
}

const click = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))
const inDialog = () => within(screen.getByRole('dialog'))
const usualDay = () => plusDays(siteDayOf(Date.now(), 'Europe/Berlin'), 90)

describe('the owner’s list of access', () => {
  it('shows scope, last day and contact of each person', async () => {
    await open([givenGrant()])
    const card = within(screen.getByRole('region', { name: 'Elektriker' }))
    expect(card.getByText('Elektro Sonnenberg')).toBeInTheDocument()
    expect(card.getByText('Hat Zugang')).toBeInTheDocument()
    expect(card.getByText('Service')).toBeInTheDocument()
    expect(card.getByText('bis 13. Februar 2027')).toBeInTheDocument()
    expect(card.getByText(/auf Einladung, 1\. November 2026/)).toBeInTheDocument()
    expect(card.getByRole('link', { name: 'Anrufen: +4930901820' })).toHaveAttribute(
      'href',
      'tel:+4930901820',
    )
  })

  it('says in one sentence that nobody has access', async () => {
    await open()
    expect(screen.getByText('Kein Elektriker hat Zugang zu Ihren Anlagen.')).toBeInTheDocument()
    expect(screen.queryByText(/Entscheidung/)).toBeNull()
  })

  it('addresses the owner when it mentions mails', async () => {
    await open()
    expect(await screen.findByText(/Von jedem Update erfahren Sie per E-Mail\./)).toBeInTheDocument()
  })

  it('ends access after a confirmation', async () => {
    await open([givenGrant({ id: 12 })])
    await click('Beenden: Elektro Sonnenberg, SC24A0001')
    expect(inDialog().getByText(/sieht SC24A0001 ab sofort nicht mehr/)).toBeInTheDocument()
    expect(sent).toEqual([])
    await userEvent.click(inDialog().getByRole('button', { name: 'Beenden' }))
    expect(await screen.findByText('Kein Elektriker hat Zugang zu Ihren Anlagen.')).toBeInTheDocument()
    expect(sent).toEqual(['DELETE /api/auth/grant/12/'])
  })

  it('changes scope and last day', async () => {
    await open([givenGrant({ id: 12, until_day: usualDay() })])
    await click('Ändern: Elektro Sonnenberg, SC24A0001')
    await userEvent.click(inDialog().getByRole('radio', { name: /^Ansehen/ }))
    fill('Letzter Tag', plusDays(usualDay(), -60))
    expect(inDialog().queryByLabelText('Jetziges Passwort')).toBeNull()
    await userEvent.click(inDialog().getByRole('button', { name: 'Ändern' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent).toEqual([`PATCH /api/auth/grant/12/ scope=monitor&until=${plusDays(usualDay(), -60)}`])
  })

  it('requires the password before it extends access', async () => {
    await open([givenGrant({ id: 12, scope: 'monitor', until_day: usualDay() })])
    await click('Ändern: Elektro Sonnenberg, SC24A0001')
    await userEvent.click(inDialog().getByRole('radio', { name: /^Service/ }))
    await userEvent.click(inDialog().getByRole('button', { name: 'Ändern' }))
    expect(inDialog().getByLabelText('Jetziges Passwort')).toHaveFocus()
    expect(sent).toEqual([])
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Ändern' }))
    await waitFor(() =>
      expect(sent).toEqual([
        `PATCH /api/auth/grant/12/ scope=service&until=${usualDay()}&password=Sonnenschein-1%21`,
      ]),
    )
  })

  it('shows the error at the field when the last day is over', async () => {
    await open([givenGrant({ state: 'ended', until_day: '2020-01-01' })])
    await click('Verlängern: Elektro Sonnenberg, SC24A0001')
    expect(inDialog().getByLabelText('Letzter Tag')).toHaveValue(usualDay())
    fill('Letzter Tag', '2020-01-01')
    await userEvent.click(inDialog().getByRole('button', { name: 'Verlängern' }))
    expect(inDialog().getByLabelText('Letzter Tag')).toHaveAccessibleDescription(/schon vorbei/)
    expect(sent).toEqual([])
  })
})

describe('pending decisions', () => {
  it('come first, and the owner chooses the scope for an electrician who asked', async () => {
    await open([
      givenGrant({ id: 7, state: 'asked', origin: 'request', since: null, until: null, until_day: null }),
    ])
    const waiting = within(screen.getByRole('region', { name: 'Eine Entscheidung wartet auf Sie' }))
    expect(waiting.getByText(/Bittet um Zugang zu SC24A0001/)).toBeInTheDocument()
    await click('Zugang geben: Elektro Sonnenberg, SC24A0001')
    await userEvent.click(inDialog().getByRole('radio', { name: /^Einstellen/ }))
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Zugang geben' }))
    await waitFor(() =>
      expect(sent).toEqual([
        `PATCH /api/auth/grant/7/ scope=configure&until=${usualDay()}&password=Sonnenschein-1%21`,
      ]),
    )
  })

  it('show an electrician’s message as plain text, and answer for all systems of a household at once', async () => {
    const asked = {
      state: 'asked',
      origin: 'request',
      since: null,
      until: null,
      until_day: null,
      message: 'Wir haben <b>montiert</b>.',
    } as const
    await open([givenGrant({ ...asked, id: 7 }), givenGrant({ ...asked, id: 9, sn: 'SC24A0002' })])
    const waiting = within(screen.getByRole('region', { name: 'Eine Entscheidung wartet auf Sie' }))
    expect(waiting.getByText('Wir haben <b>montiert</b>.')).toBeInTheDocument()
    await click('Zugang geben: Elektro Sonnenberg, SC24A0001, SC24A0002')
    await userEvent.click(
      inDialog().getByRole('checkbox', {
        name: 'Der Elektriker darf meine Telefonnummer und meine Adresse sehen',
      }),
    )
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Zugang geben' }))
    await waitFor(() =>
      expect(sent).toEqual([
        `PATCH /api/auth/grant/7/ scope=service&until=${usualDay()}&contact=true&household=true&password=Sonnenschein-1%21`,
      ]),
    )
  })

  it('confirm with one click what began with an installer code', async () => {
    await open([givenGrant({ id: 8, state: 'unconfirmed', origin: 'code' })])
    await click('Bestätigen: Elektro Sonnenberg, SC24A0001')
    await waitFor(() => expect(sent).toEqual(['PATCH /api/auth/grant/8/']))
  })
})

describe('an invitation', () => {
  it('goes to an electrician for all systems and 90 days by default', async () => {
    await open()
    await click('Elektriker einladen')
    fill('E-Mail-Adresse', 'electrician@example.com')
    await userEvent.click(inDialog().getByRole('checkbox', { name: /SC24A0002/ }))
    await userEvent.click(inDialog().getByRole('button', { name: 'Einladung senden' }))
    expect(inDialog().getByLabelText('Jetziges Passwort')).toHaveFocus()
    expect(sent).toEqual([])
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Einladung senden' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent).toEqual([
      `POST /api/auth/grant/ sn=SC24A0001&email=electrician%40example.com&scope=service&until=${usualDay()}&password=Sonnenschein-1%21`,
    ])
  })

  it('goes to a household member without a last day', async () => {
    await open()
    await click('Person einladen')
    fill('E-Mail-Adresse', 'partner@example.com')
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Einladung senden' }))
    await waitFor(() =>
      expect(sent).toEqual([
        'POST /api/auth/grant/ sn=SC24A0001%2CSC24A0002&email=partner%40example.com&scope=look&password=Sonnenschein-1%21',
      ]),
    )
  })

  it('shows the server’s errors at their fields', async () => {
    server.use(
      http.post('*/api/auth/grant/', () =>
        HttpResponse.json(
          { email: ['Das ist Ihre eigene Adresse.'], codes: { email: ['email_own'] } },
          { status: 400 },
        ),
      ),
    )
    await open()
    await click('Elektriker einladen')
    fill('E-Mail-Adresse', 'owner@example.com')
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Einladung senden' }))
    await inDialog().findByRole('alert')
    expect(inDialog().getByLabelText('E-Mail-Adresse')).toHaveAccessibleDescription(
      'Das ist Ihre eigene Adresse.',
    )
  })
})

describe('handing over a house', () => {
  it('explains the consequences, and asks for the password', async () => {
    server.use(
      http.post('*/api/auth/grant/handover/', async ({ request }) => {
        await note(request)
        return HttpResponse.json({}, { status: 201 })
      }),
    )
    await open()
    await click('Anlage übergeben …')
    expect(inDialog().getByText(/beginnt mit einem leeren Verlauf/)).toBeInTheDocument()
    fill('E-Mail-Adresse des neuen Besitzers', 'new@example.com')
    await userEvent.click(inDialog().getByRole('button', { name: 'Übergabe anbieten' }))
    expect(sent).toEqual([])
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(inDialog().getByRole('button', { name: 'Übergabe anbieten' }))
    await waitFor(() =>
      expect(sent).toEqual([
        'POST /api/auth/grant/handover/ sn=SC24A0001&email=new%40example.com&password=Sonnenschein-1%21',
      ]),
    )
  })
})
