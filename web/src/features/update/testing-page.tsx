import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { expect, vi } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { page } from '@/lib/session/page'
import { resetSessionStore, startSession } from '@/lib/session/session-store'
import { liveOf } from '@/lib/testing/live'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import type { PastUpdate, UpdateStatus } from './data'
import { idleStatus, updateStatus } from './testing'
import { UpdatePage } from './update-page'

/** The portal itself serves the update service. */
export const SERVICE = location.origin

type Fields = Record<string, string>
type Question = { sn: string | null; bearer: string | null; language: string | null; at: number }

const atFirst = () => ({
  statuses: { A: updateStatus(), B: idleStatus() } as Record<string, UpdateStatus>,
  history: [] as PastUpdate[],
  /** Received forms. */
  sent: [] as Fields[],
  asked: [] as Question[],
  /** Handles a form. */
  take: ({ sn = '' }: Fields): Response => {
    service.statuses[sn] = updateStatus({ state: 'waiting', started_at: Date.now() })
    return HttpResponse.json({ updates: updateStatus().updates })
  },
})

/** The update service of a test; its answers can change at any time. */
export let service = atFirst()

/** The fields of a multipart form. */
async function fieldsOf(request: Request): Promise<Fields> {
  expect(request.headers.get('Content-Type')).toMatch(/^multipart\/form-data/)
  const found = (await request.text()).matchAll(/name="(\w+)"\r\n\r\n(.*?)\r\n/g)
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]))
}

function answer(request: Request): Response {
  const sn = new URL(request.url).searchParams.get('sn')
  const { headers } = request
  service.asked.push({
    sn,
    bearer: headers.get('Authorization'),
    language: headers.get('Accept-Language'),
    at: Date.now(),
  })
  const status = service.statuses[sn ?? '']
  return status
    ? HttpResponse.json(status)
    : HttpResponse.json({ detail: 'Nicht gefunden.', code: 'not_found' }, { status: 404 })
}

/** An owner with two systems: A has an update, B has none. */
export async function serveUpdates() {
  service = atFirst()
  resetSessionStore()
  await startSession({ access: 'a', refresh: 'r', role: 'user' })
  vi.spyOn(page, 'reload').mockImplementation(() => undefined)
  server.use(
    http.get('*/api/auth/usr_sn/', () =>
      HttpResponse.json([
        { sn: 'A', phase: 1, master_version: '4.12', gateway_version: '1.14' },
        { sn: 'B', phase: 2, master_version: '4.12-rc1', gateway_version: null },
      ]),
    ),
    http.get('*/api/auth/data/', () => HttpResponse.json(liveOf(['A', 'B']))),
    http.get(`${SERVICE}/api/v1/has_update`, ({ request }) => answer(request)),
    http.get(`${SERVICE}/api/v1/history/`, () => HttpResponse.json(service.history)),
    http.post(`${SERVICE}/api/v1/update/`, async ({ request }) => {
      const fields = await fieldsOf(request)
      service.sent.push(fields)
      return service.take(fields)
    }),
  )
}

export const open = (search = '') => renderPage(() => <UpdatePage action={null} />, `/here${search}`)
export const button = (name: string) => screen.getByRole('button', { name })
export const press = (name: string) => userEvent.click(button(name))
export const answerDialog = async (name: string) =>
  userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name }))
export const stepHeading = (name: string | RegExp) => screen.findByRole('heading', { level: 2, name })

/** Polls at once. */
export const askNow = () => act(() => queryClient.refetchQueries({ queryKey: ['update'] }))

/** Sets the status of A, and polls at once. */
export async function serverSays(status: UpdateStatus) {
  service.statuses.A = status
  await askNow()
}

export async function toStart() {
  await userEvent.click(await screen.findByRole('radio', { name: /^A/ }))
  await press('Weiter')
  await stepHeading('Update für A starten')
}

export async function startNow() {
  await toStart()
  await press('Starten')
  await answerDialog('Starten')
  await stepHeading('Update für A')
}
