import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { resetSessionStore } from '@/lib/session/session-store'
import { readTokens } from '@/lib/session/tokens'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { LoginPage } from './login-page'

let sent: URLSearchParams[]
let mustEnrol: boolean

beforeEach(() => {
  sent = []
  mustEnrol = false
  resetSessionStore()
  server.use(
    http.post('*/api/auth/token/', async ({ request }) => {
      const form = new URLSearchParams(await request.text())
      sent.push(form)
      const totp = form.get('totp')
      if (totp === '123456')
        return HttpResponse.json({ access: 'a', refresh: 'r', role: 'user', must_enrol: mustEnrol })
      return totp
        ? HttpResponse.json({ totp: ['Falscher Code.'], codes: { totp: ['totp_wrong'] } }, { status: 400 })
        : HttpResponse.json({ detail: 'Bitte den Code.', code: 'totp_required' }, { status: 401 })
    }),
  )
})

async function toSecondStep() {
  const page = await renderPage(LoginPage)
  fill('E-Mail', 'owner@example.com')
  fill('Passwort', 'Sonnenschein-1!')
  await userEvent.click(screen.getByRole('button', { name: 'Anmelden' }))
  await screen.findByLabelText('Code aus der App')
  return page
}

const enterCode = async (label: string, code: string) => {
  fill(label, code)
  await userEvent.click(screen.getByRole('button', { name: 'Anmelden' }))
}

describe('the second step of a login', () => {
  it('sends the code with the credentials', async () => {
    const { path } = await toSecondStep()
    expect(screen.getByLabelText('Code aus der App')).toHaveFocus()
    await enterCode('Code aus der App', '123456')
    await waitFor(() => expect(path()).toBe('/dashboard'))
    expect(Object.fromEntries(sent[1] ?? [])).toMatchObject({
      email: 'owner@example.com',
      password: 'Sonnenschein-1!',
      totp: '123456',
    })
    expect(readTokens().access).toBe('a')
  })

  it('says if the code is wrong, and stays', async () => {
    const { path } = await toSecondStep()
    await enterCode('Code aus der App', '654321')
    expect(await screen.findByText('Falscher Code.')).toBeInTheDocument()
    expect(path()).toBe('/here')
    expect(readTokens().access).toBeNull()
  })

  it('accepts a recovery code instead', async () => {
    await toSecondStep()
    await userEvent.click(screen.getByRole('button', { name: 'Telefon nicht zur Hand?' }))
    await enterCode('Wiederherstellungscode', '7K3QF-9TWXA')
    expect(sent[1]?.get('totp')).toBe('7K3QF-9TWXA')
  })

  it('goes back to the password', async () => {
    await toSecondStep()
    await userEvent.click(screen.getByRole('button', { name: 'Zurück' }))
    expect(screen.getByLabelText('E-Mail')).toHaveValue('owner@example.com')
  })

  it('leads to the setup if the operator requires it', async () => {
    mustEnrol = true
    const { path } = await toSecondStep()
    await enterCode('Code aus der App', '123456')
    await waitFor(() => expect(path()).toBe('/enrol'))
  })
})
