import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { PagePart } from './page-part'

function Broken(): never {
  throw new Error('secret detail')
}

it('that fails shows its error in place, and leaves the other parts of the page', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await renderUi(
    <>
      <PagePart>
        <Broken />
      </PagePart>
      <PagePart>
        <p>all is well</p>
      </PagePart>
    </>,
  )
  expect(screen.getByRole('alert')).toHaveTextContent('Da ist etwas schiefgegangen')
  expect(screen.getByRole('button', { name: 'Seite neu laden' })).toBeInTheDocument()
  expect(screen.getByText('all is well')).toBeInTheDocument()
  expect(document.body).not.toHaveTextContent('secret detail')
  expect(log.mock.calls.flat().join()).toContain('secret detail')
})
