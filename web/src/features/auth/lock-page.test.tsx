import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { describe, expect, it } from 'vitest'
import { fill } from '@/lib/testing/fill'
import { renderPage } from '@/lib/testing/render-page'
import { server } from '@/lib/testing/server'
import { LockPage } from './lock-page'

async function ask(reply: () => Response) {
  server.use(
    http.post('*/api/auth/password_reset/', reply),
    http.get('*/config.json', () => HttpResponse.json({ demo: false, links: {} })),
  )
  await renderPage(LockPage)
  fill('E-Mail', 'anna@example.com')
  await userEvent.click(screen.getByRole('button', { name: 'Link anfordern' }))
}

describe('requesting a new password', () => {
  it('promises a mail without revealing whether the address is known', async () => {
    await ask(() => HttpResponse.json({}, { status: 202 }))
    expect(await screen.findByText(/Wenn es zu anna@example\.com/)).toBeInTheDocument()
  })

  it.each([
    ['mail_failed', 503, 'Die E-Mail konnte nicht gesendet werden.'],
    ['internal', 500, 'Bitte versuchen Sie es noch einmal.'],
  ])('shows a failure (%s), and can be repeated', async (code, status, text) => {
    await ask(() => HttpResponse.json({ code }, { status }))
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
    expect(screen.getByRole('button', { name: 'Link anfordern' })).not.toHaveAttribute('aria-busy')
    expect(screen.getByLabelText('E-Mail')).toHaveValue('anna@example.com')
  })
})
