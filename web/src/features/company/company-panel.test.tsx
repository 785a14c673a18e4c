import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { startSession } from '@/lib/session/session-store'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { CompanyPanel } from './company-panel'
import type { Company, Member } from './data'

const member = (id: number, name: string, role: Member['role']): Member => ({
  id,
  name,
  email: `${id}@example.com`,
  role,
  you: id === 1,
  second_factor: id === 1,
  since: 0,
})

let company: Company
let sent: string[]

beforeEach(async () => {
  sent = []
  company = {
    name: 'Blitz GmbH',
    members: [member(1, 'Eva Blitz', 'owner'), member(2, 'Tom Kurz', 'technician')],
    invitations: [],
  }
  await startSession({ access: 'access', refresh: 'refresh', role: 'electrician' })
  server.use(http.get('*/api/auth/company/', () => HttpResponse.json(company)))
  await renderPage(() => (
    <>
      <h1>page</h1>
      <CompanyPanel />
    </>
  ))
  await screen.findByRole('region', { name: 'Blitz GmbH' })
})

const click = (name: string) => userEvent.click(screen.getByRole('button', { name }))

describe('the people of a company', () => {
  it('have a role; the last owner can neither be removed nor changed', () => {
    expect(screen.getByText('Inhaber · Sie')).toBeInTheDocument()
    expect(screen.getByText('Techniker · ohne zweiten Faktor')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Tom Kurz entfernen' })).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Eva Blitz entfernen' })).toBeNull()
  })

  it('are removed with the password', async () => {
    server.use(
      http.delete('*/api/auth/company/member/:id/', async ({ params, request }) => {
        sent.push(`${params.id} ${await request.text()}`)
        company = { ...company, members: company.members.slice(0, 1) }
        return new HttpResponse(null, { status: 204 })
      }),
    )
    await click('Tom Kurz entfernen')
    const dialog = within(screen.getByRole('dialog'))
    await userEvent.click(dialog.getByRole('button', { name: 'Entfernen' }))
    expect(sent).toEqual([])
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await userEvent.click(dialog.getByRole('button', { name: 'Entfernen' }))
    await waitFor(() => expect(screen.queryByText('Tom Kurz')).toBeNull())
    expect(sent).toEqual(['2 password=Sonnenschein-1%21'])
  })

  it('are invited with a role and the password', async () => {
    server.use(
      http.post('*/api/auth/company/invitation/', async ({ request }) => {
        sent.push(await request.text())
        company = {
          ...company,
          invitations: [{ id: 7, email: 'neu@example.com', role: 'office', expires_at: 0 }],
        }
        return HttpResponse.json(company, { status: 201 })
      }),
    )
    await click('Einladen')
    fill('E-Mail', 'neu@example.com')
    await userEvent.selectOptions(screen.getByLabelText('Aufgabe'), 'office')
    fill('Jetziges Passwort', 'Sonnenschein-1!')
    await click('Einladung senden')
    expect(await screen.findByText('neu@example.com')).toBeInTheDocument()
    expect(sent).toEqual(['email=neu%40example.com&role=office&password=Sonnenschein-1%21'])
  })
})
