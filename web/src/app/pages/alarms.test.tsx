import 'fake-indexeddb/auto'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Alarm, AlarmMail } from '@/features/alarms/data'
import type { LiveEntry } from '@/lib/live/live'
import { resetSessionStore } from '@/lib/session/session-store'
import { liveEntry, liveOf } from '@/lib/testing/live'
import { server } from '@/lib/testing/server'
import { logIn, openApp, serveSystems } from '../testing'

const alarm = (special: Partial<Alarm> = {}): Alarm => ({
  id: 7,
  sn: 'SC24A0001',
  first_name: null,
  last_name: null,
  kind: 'meter_error',
  text: 'Der Stromzähler antwortet nicht',
  next: 'Bitte prüfen Sie das Kabel.',
  time_zone: 'Europe/Berlin',
  since: Date.UTC(2026, 10, 15, 11),
  opened_at: Date.UTC(2026, 10, 15, 11, 5),
  acknowledged_at: null,
  acknowledged_by: null,
  dismissed_at: null,
  dismissed_by: null,
  closed_at: null,
  acknowledgeable: true,
  commentable: true,
  comments: [],
  ...special,
})

const limit = { kind: 'grid_limit', since: 0, until: null, by: 'grid_operator', end: null, power: 4_200 }

let alarms: Alarm[]
let mail: AlarmMail
let sent: string[]

beforeEach(async () => {
  alarms = [alarm()]
  mail = 'at_once'
  sent = []
  await logIn('user')
  serveSystems(['SC24A0001'])
  server.use(
    http.get('*/api/auth/alarm/', () =>
      HttpResponse.json({ page: 1, pages: 1, total: alarms.length, alarms, mail }),
    ),
    http.post('*/api/auth/alarm/', async ({ request }) => {
      sent.push(await request.text())
      const seen = {
        acknowledged_at: Date.UTC(2026, 10, 15, 12),
        acknowledged_by: 'Sie',
        acknowledgeable: false,
      }
      alarms = [alarm(seen)]
      return HttpResponse.json(alarms[0])
    }),
    http.post('*/api/auth/alarm/mail/', async ({ request }) => {
      sent.push(await request.text())
      mail = 'digest'
      return HttpResponse.json({ mail })
    }),
  )
})
afterEach(() => resetSessionStore())

const list = () => screen.findByRole('region', { name: 'Alarme' })

describe('the alarms of an owner', () => {
  it('show cause, start and advice, and can be acknowledged', async () => {
    await openApp('/alarms')
    const card = within(await list())
    expect(await card.findByText('Der Stromzähler antwortet nicht')).toBeInTheDocument()
    expect(card.getByText('Bitte prüfen Sie das Kabel.')).toBeInTheDocument()
    expect(card.getByText(/seit 15\.11\.2026 12:00/)).toBeInTheDocument()
    await userEvent.click(card.getByRole('button', { name: /^Ich kümmere mich: Der Strom/ }))
    expect(await card.findByText(/In Arbeit: Sie, 15\.11\.2026 13:00/)).toBeInTheDocument()
    expect(card.queryByRole('button', { name: /^Ich kümmere mich/ })).toBeNull()
    expect(sent).toEqual(['id=7'])
  })

  it('that are over show start and end, and no advice', async () => {
    alarms = [alarm({ closed_at: Date.UTC(2026, 10, 15, 13), acknowledgeable: false })]
    await openApp('/alarms')
    const card = within(await list())
    expect(await card.findByText('Vorbei')).toBeInTheDocument()
    expect(card.getByText(/15\.11\.2026 12:00 bis 15\.11\.2026 14:00/)).toBeInTheDocument()
    expect(card.queryByText('Bitte prüfen Sie das Kabel.')).toBeNull()
  })

  it('that are none are good news', async () => {
    alarms = []
    await openApp('/alarms')
    expect(await screen.findByText('Alles in Ordnung: Es gibt keine Alarme.')).toBeInTheDocument()
  })

  it.each([
    [
      'a limit',
      { in_force: [limit] },
      'Es gibt keine Alarme.',
      /Netzbetreiber begrenzt das Laden aus dem Netz auf 4,2\skW/,
    ],
    [
      'a system that does not report',
      { online: false },
      'Es gibt keine Alarme.',
      'Der Speicher meldet sich gerade nicht.',
    ],
    [
      'a fault flag',
      { message2: { ...liveEntry().message2, bat: true } },
      'Bisher gibt es dazu keinen Alarm.',
      'Der Speicher meldet: Fehler der Batterie.',
    ],
  ] as [string, Partial<LiveEntry>, string, string | RegExp][])(
    'that are none beside %s do not say that all is well',
    async (_name, special, none, text) => {
      alarms = []
      server.use(http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['SC24A0001'], special))))
      await openApp('/alarms')
      const card = within(await list())
      expect(await card.findByText(none)).toBeInTheDocument()
      expect(card.getByText(text)).toBeInTheDocument()
    },
  )
})

describe('mails about alarms', () => {
  it('are set on the alarms page', async () => {
    await openApp('/alarms')
    expect(await screen.findByRole('radio', { name: 'Sofort' })).toBeChecked()
    await userEvent.click(screen.getByRole('radio', { name: 'Täglich um 7 Uhr' }))
    expect(await screen.findByText('Gespeichert')).toBeInTheDocument()
    expect(screen.getByRole('radio', { name: 'Täglich um 7 Uhr' })).toBeChecked()
    expect(sent).toEqual(['mail=digest'])
  })
})
