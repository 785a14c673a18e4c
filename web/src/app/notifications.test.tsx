import { screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { notify, useNotifications } from '@/lib/notify'
import { renderUi } from '@/lib/testing/render'
import { Notifications } from './notifications'

afterEach(() => useNotifications.setState({ waiting: [] }))

it('shows messages from before and after the toaster was loaded, once each', async () => {
  notify.success('Gespeichert.')
  await renderUi(<Notifications />)
  expect(await screen.findByText('Gespeichert.')).toBeInTheDocument()
  notify.error('Fehlgeschlagen.', { description: 'Bitte noch einmal.' })
  expect(await screen.findByText('Fehlgeschlagen.')).toBeInTheDocument()
  expect(screen.getByText('Bitte noch einmal.')).toBeInTheDocument()
  expect(screen.getAllByText('Gespeichert.')).toHaveLength(1)
  expect(useNotifications.getState().waiting).toHaveLength(0)
})

it('has a live region before the first message, so that it is announced', async () => {
  const announced: string[] = []
  const observer = new MutationObserver(() => {
    const place = document.querySelector('[aria-live]')
    if (place) announced.push(place.textContent ?? '')
  })
  observer.observe(document.body, { childList: true, subtree: true })
  notify.success('Gespeichert.')
  await renderUi(<Notifications />)
  await screen.findByText('Gespeichert.')
  observer.disconnect()
  expect(announced[0]).toBe('')
})

it('stays 5 seconds, and 2 as a toast', () => {
  notify.success('Gespeichert.')
  notify.toast('Kopiert.')
  expect(useNotifications.getState().waiting.map(({ duration }) => duration)).toEqual([5_000, 2_000])
})

it('appears at the top right', async () => {
  notify.info('Neu.')
  await renderUi(<Notifications />)
  const list = (await screen.findByText('Neu.')).closest('ol')
  expect(list).toHaveAttribute('data-y-position', 'top')
  expect(list).toHaveAttribute('data-x-position', 'right')
})
