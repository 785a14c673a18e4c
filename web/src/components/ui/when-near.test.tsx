import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderUi } from '@/lib/testing/render'
import { WhenNear } from './when-near'

/** Tells the component where its place is, as the browser would. */
let tell: (near: boolean) => void

vi.stubGlobal(
  'IntersectionObserver',
  class {
    constructor(listen: (entries: { isIntersecting: boolean }[]) => void) {
      tell = (near) => act(() => listen([{ isIntersecting: near }]))
    }
    observe = vi.fn()
    disconnect = vi.fn()
  },
)
afterEach(() => vi.restoreAllMocks())

describe('what is drawn when it is near', () => {
  it('keeps its place until then, and stays when it is far again', async () => {
    await renderUi(
      <WhenNear placeholder={<p>place</p>}>
        <p>content</p>
      </WhenNear>,
    )
    tell(false)
    expect(screen.getByText('place')).toBeInTheDocument()
    tell(true)
    expect(screen.getByText('content')).toBeInTheDocument()
    expect(screen.queryByText('place')).toBeNull()
    tell(false)
    expect(screen.getByText('content')).toBeInTheDocument()
  })

  it('comes with the first key, before the keyboard passes over it', async () => {
    await renderUi(
      <WhenNear placeholder={<p>place</p>}>
        <p>content</p>
      </WhenNear>,
    )
    await userEvent.keyboard('{Tab}')
    expect(screen.getByText('content')).toBeInTheDocument()
  })
})
