import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { CustomerCard } from './customer-card'
import type { Customer } from './data'

let customer: Customer
let sent: string[]

beforeEach(async () => {
  sent = []
  customer = { note: 'Hund', changed_at: 1_000, changed_by: 'Eva Blitz (Blitz GmbH)', photos: [] }
  server.use(
    http.get('*/api/auth/system/SC000001/customer/', () => HttpResponse.json(customer)),
    http.post('*/api/auth/system/SC000001/customer/', async ({ request }) => {
      const form = new URLSearchParams(await request.text())
      sent.push(form.toString())
      if (form.get('changed_at') !== String(customer.changed_at))
        return HttpResponse.json(
          { code: 'version_conflict', error: 'Inzwischen gespeichert.' },
          { status: 409 },
        )
      customer = { ...customer, note: String(form.get('note')), changed_at: 3_000 }
      return HttpResponse.json(customer)
    }),
  )
  await renderPage(() => (
    <>
      <h1>page</h1>
      <CustomerCard sn="SC000001" />
    </>
  ))
  await screen.findByDisplayValue('Hund')
})

const save = () => userEvent.click(screen.getByRole('button', { name: 'Notiz speichern' }))

it('keeps what was typed if a colleague has saved meanwhile, and shows their text', async () => {
  customer = { ...customer, note: 'Zwei Hunde', changed_at: 2_000 }
  fill('Notiz', 'Kein Hund')
  await save()
  expect(await screen.findByText('Zwei Hunde')).toBeInTheDocument()
  expect(screen.getByDisplayValue('Kein Hund')).toBeInTheDocument()
  await save()
  expect(await screen.findByText(/Zuletzt geändert/)).toBeInTheDocument()
  expect(sent).toEqual(['note=Kein+Hund&changed_at=1000', 'note=Kein+Hund&changed_at=2000'])
  expect(customer.note).toBe('Kein Hund')
})
