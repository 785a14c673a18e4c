import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { readLoginNotice } from '@/lib/session/login-notice'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { PasswordResetPage } from './password-reset-page'

const open = (hash: string) => {
  history.replaceState(null, '', `/password_reset${hash}`)
  return renderPage(PasswordResetPage)
}
const answer = (status: number, body: object) =>
  server.use(http.post('*/api/auth/password_reset/confirm/', () => HttpResponse.json(body, { status })))

async function choose(password: string, repeat = password) {
  fill('Neues Passwort', password)
  fill('Passwort wiederholen', repeat)
  await userEvent.click(screen.getByRole('button', { name: 'Passwort speichern' }))
}

describe('the link to a new password', () => {
  it('leaves the address, and the login page confirms the new password', async () => {
    answer(200, { role: 'electrician' })
    const { path } = await open('#token=secret')
    expect(location.href).not.toContain('secret')
    await choose('Sonnenschein-2!')
    await waitFor(() => expect(path()).toBe('/login'))
    expect(readLoginNotice()).toEqual({ notice: 'password_reset', role: 'electrician' })
  })

  it('that is used up offers a new one', async () => {
    answer(400, { detail: 'Abgelaufen.', code: 'link_invalid' })
    await open('#token=secret')
    await choose('Sonnenschein-2!')
    expect(await screen.findByRole('link', { name: 'Neuen Link anfordern' })).toHaveAttribute('href', '/lock')
  })

  it('without its secret offers a new one, too', async () => {
    await open('')
    expect(screen.getByRole('link', { name: 'Neuen Link anfordern' })).toBeInTheDocument()
  })

  it('stays valid after a password that the server refuses', async () => {
    answer(400, { password: ['Zu häufig.'], codes: { password: ['password_common'] } })
    await open('#token=secret')
    await choose('Password1!')
    expect(await screen.findByText(/benutzen zu viele Menschen/)).toBeInTheDocument()
    expect(screen.getByLabelText('Neues Passwort')).toHaveValue('Password1!')
  })

  it('can be retried after an internal error', async () => {
    answer(500, {})
    await open('#token=secret')
    await choose('Sonnenschein-2!')
    expect(await screen.findByRole('alert')).toHaveTextContent('Bitte versuchen Sie es noch einmal.')
    expect(screen.getByRole('button', { name: 'Passwort speichern' })).not.toHaveAttribute('aria-busy')
  })

  it('requires the same password twice', async () => {
    await open('#token=secret')
    await choose('Sonnenschein-2!', 'Sonnenschein-3!')
    expect(await screen.findByText('Die Passwörter müssen übereinstimmen.')).toBeInTheDocument()
    expect(screen.getByLabelText('Passwort wiederholen')).toHaveFocus()
  })
})
