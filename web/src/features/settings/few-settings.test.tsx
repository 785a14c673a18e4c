import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { expect, it } from 'vitest'
import { startSession } from '@/lib/session/session-store'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { settingsEntry } from '@/lib/testing/settings'
import { FewSettings } from './few-settings'

it('the §14a notice is acknowledged for the factory limit without changing it', async () => {
  const factory = { desired: { charge_limit: 4_600 } }
  let system = settingsEntry('A', factory)
  let sent: URLSearchParams | undefined
  await startSession({ access: 'a', refresh: 'r', role: 'electrician' })
  server.use(
    http.get('*/api/auth/settings/', () => HttpResponse.json([system])),
    http.post('*/api/auth/settings/', async ({ request }) => {
      sent = new URLSearchParams(await request.text())
      system = settingsEntry('A', { ...factory, version: 4, acknowledged_at: 1 })
      const nothing = { failure: {}, codes: {}, warnings: {}, conflicts: {} }
      return HttpResponse.json({ success: ['A'], versions: { A: 4 }, ...nothing })
    }),
  )
  await renderPage(() => (
    <>
      <h1>page</h1>
      <FewSettings sn="A" names={['charge_limit', 'discharge_limit']} />
    </>
  ))
  const acknowledge = await screen.findByRole('checkbox', { name: /gelesen/ })
  const confirm = screen.getByRole('button', { name: 'Hinweis bestätigen' })
  expect(confirm).toBeDisabled()
  await userEvent.click(acknowledge)
  await userEvent.click(confirm)
  await waitFor(() => expect(screen.queryByRole('checkbox', { name: /gelesen/ })).toBeNull())
  expect(Object.fromEntries(sent ?? [])).toEqual({ version: '3', acknowledge_14a: 'true' })
})
