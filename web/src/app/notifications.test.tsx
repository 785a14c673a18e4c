import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { notify, useNotifications } from '@/lib/notify'
import { renderUi } from '@/lib/testing/render'
import { Notifications } from './notifications'

it('shows what was said before the toaster was loaded, and what is said after, once each', async () => {
  notify.success('Gespeichert.')
  await renderUi(<Notifications />)
  expect(await screen.findByText('Gespeichert.')).toBeInTheDocument()
  notify.error('Fehlgeschlagen.', { description: 'Bitte noch einmal.' })
  expect(await screen.findByText('Fehlgeschlagen.')).toBeInTheDocument()
  expect(screen.getByText('Bitte noch einmal.')).toBeInTheDocument()
  expect(screen.getAllByText('Gespeichert.')).toHaveLength(1)
  expect(useNotifications.getState().waiting).toHaveLength(0)
})
