import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { leaveLogoutNotice, readLogoutNotice } from '@/lib/session/logout-notice'
import { STORAGE } from '@/lib/storage-keys'
import { renderUi } from '@/lib/testing/render'
import { LoggedOutDialog } from './logged-out-dialog'

describe('the Logged Out dialog', () => {
  it.each([
    ['session_ended', 'Ihre Sitzung ist beendet.'],
    ['no_systems', 'Mit Ihrem Konto ist keine Seriennummer verknüpft.'],
    ['refresh_reply', 'Die Antwort beim Erneuern der Anmeldung war ungültig.'],
  ] as const)('shows the reason (%s) and is closed for good with OK', async (notice, text) => {
    leaveLogoutNotice(notice)
    await renderUi(<LoggedOutDialog />)
    const dialog = screen.getByRole('dialog', { name: 'Abgemeldet' })
    expect(dialog).toHaveTextContent(text)
    await userEvent.click(screen.getByRole('button', { name: 'OK' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(readLogoutNotice()).toBeNull()
  })

  it('is hidden without a forced logout', async () => {
    await renderUi(<LoggedOutDialog />)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('is hidden after another login', async () => {
    leaveLogoutNotice('session_ended')
    localStorage.setItem(STORAGE.access, 'access')
    await renderUi(<LoggedOutDialog />)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(readLogoutNotice()).toBeNull()
  })
})
