import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { ChunkLoadError } from '@/lib/load-chunk'
import { page } from '@/lib/session/page'
import { renderUi } from '@/lib/testing/render'
import { Failure } from './failure-page'

it('says that a part of the page did not load, and offers a reload', async () => {
  const reload = vi.spyOn(page, 'reload').mockImplementation(() => undefined)
  await renderUi(<Failure error={new ChunkLoadError('Loading chunk failed')} />)
  expect(screen.getByRole('heading')).toHaveTextContent('Ein Teil der Seite konnte nicht geladen werden')
  await userEvent.click(screen.getByRole('button', { name: 'Seite neu laden' }))
  expect(reload).toHaveBeenCalledTimes(1)
})

it('shows no details of any other error', async () => {
  await renderUi(<Failure error={new Error('secret detail')} />)
  expect(screen.getByRole('heading')).toHaveTextContent('Da ist etwas schiefgegangen')
  expect(document.body).not.toHaveTextContent('secret detail')
})
